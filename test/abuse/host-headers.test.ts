import { afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type Listener, listen } from '../../interfaces/http/listen.ts'
import { listenForMetrics, type MetricsListener } from '../../interfaces/http/metrics-listener.ts'
import { openHttp } from '../support/http/http-client.ts'
import { exchangeRaw } from '../support/http/raw-exchange.ts'

// Whoever stands in front of the service and believes another Host header than it does keeps an answer for the wrong
// host (RFC 9110, section 7.2; RFC 9112, section 3.2). Bun itself takes all of these: docs/upstream.md.

const listeners: (Listener | MetricsListener)[] = []
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.stop()
})

const PREFLIGHT = ['Origin: https://a.example', 'Access-Control-Request-Method: POST']

async function ask(
  headers: readonly string[],
  { method = 'GET', target = '/languages', version = '1.1' } = {},
) {
  const listener = listen({ host: '127.0.0.1', port: 0 })
  listeners.push(listener)
  listener.use(openHttp().handler)
  const lines = [`${method} ${target} HTTP/${version}`, ...headers, 'Connection: close', '', '']
  const answer = await exchangeRaw(connect(listener.port, '127.0.0.1'), lines.join('\r\n'))
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.slice(9, 12)), body }
}

const REFUSED = { status: 400, body: '{"error":"Invalid request"}' }

describe('a request for no host, or for more than one, is invalid', () => {
  test.each([
    ['two hosts', ['Host: a.example', 'Host: b.example']],
    ['the same host twice', ['Host: a.example', 'host: a.example']],
    ['a host and an empty one', ['Host: a.example', 'Host:']],
    ['an empty host and another', ['Host:', 'Host: a.example']],
    ['a list', ['Host: a.example, b.example']],
    ['a space', ['Host: a b']],
    ['a tab', ['Host: a\tb']],
    ['a path', ['Host: a/b']],
    ['a query', ['Host: a?b']],
    ['a fragment', ['Host: a#b']],
    ['a backslash', ['Host: a\\b']],
    ['a user', ['Host: user@a.example']],
    ['a scheme', ['Host: http://a.example']],
    ['a port of letters', ['Host: a.example:http']],
    ['two ports', ['Host: a.example:1:2']],
    ['a bracket', ['Host: [::1']],
    ['bytes that are no ASCII', ['Host: \xc3\xa9.example']],
    ['half an escaped byte', ['Host: a%2']],
  ])('%s', async (_, headers) => {
    expect(await ask(headers)).toEqual(REFUSED)
    expect(await ask(headers, { target: 'http://a.example/languages' })).toEqual(REFUSED)
    expect(await ask([...headers, ...PREFLIGHT], { method: 'OPTIONS' })).toEqual(REFUSED)
  })
})

describe('a request for one host is answered, whatever that is called', () => {
  test.each([
    'alibi.example',
    'ALIBI.example.',
    'localhost:3000',
    'a_b.example',
    'xn--bcher-kva.example',
    '127.0.0.1:3000',
    '[::1]:3000',
    '[2001:db8::1]',
    'a.example:',
    '',
  ])('%p', async (host) => {
    expect((await ask([`Host: ${host}`])).status).toBe(200)
  })

  test('also where the target names it as well', async () => {
    const target = 'http://alibi.example/languages'
    expect((await ask(['Host: alibi.example'], { target })).status).toBe(200)
  })

  test('HTTP/1.0 needs none', async () => {
    expect((await ask([], { version: '1.0' })).status).toBe(200)
  })

  test('HTTP/1.1 needs one', async () => {
    expect((await ask([])).status).toBe(400)
  })
})

test('the metrics are for nobody who names two hosts', async () => {
  const listener = listenForMetrics({ port: 0, onFailure: () => {} })
  listeners.push(listener)
  listener.use({ read: async () => 'up 1', contentType: 'text/plain' })
  const get = (hosts: string) =>
    exchangeRaw(
      connect(Number(new URL(listener.url).port), '127.0.0.1'),
      `GET /metrics HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`,
    )
  expect(await get('Host: localhost\r\n')).toStartWith('HTTP/1.1 200 ')
  expect(await get('Host: localhost\r\nHost: localhost\r\n')).toStartWith('HTTP/1.1 403 ')
  expect(await get('Host: localhost\r\nHost: a.example\r\n')).toStartWith('HTTP/1.1 403 ')
})
