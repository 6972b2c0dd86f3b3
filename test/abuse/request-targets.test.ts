import { afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createApp } from '../../interfaces/http/app.ts'
import { listen } from '../../interfaces/http/listen.ts'
import { LIST_ENTRIES_MAX } from '../../interfaces/http/request/header-list.ts'
import { readTarget, SEGMENTS_MAX } from '../../interfaces/http/request/target.ts'
import { answers, countingLimiter, openHttp } from '../support/http/http-client.ts'
import { unlimitedOptions } from '../support/http/http-options.ts'

const listeners: ReturnType<typeof listen>[] = []
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.stop()
})

function openOverSocket() {
  const limiters = {
    general: countingLimiter(1000),
    auth: countingLimiter(1000),
    premium: countingLimiter(1000),
  }
  const http = openHttp({ limiters })
  const listener = listen({ host: '127.0.0.1', port: 0 })
  listeners.push(listener)
  listener.use(http.handler)

  /** Sends the target byte for byte, as no client with a URL parser would. */
  async function get(target: string, host = 'alibi.example') {
    const socket = connect(listener.port, '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    const answer = (await Array.fromAsync(socket, String)).join('')
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    return {
      status: Number(head.slice(9, 12)),
      policy: /^ratelimit-policy: "(\w+)"/im.exec(head)?.[1] ?? null,
      body: /^content-type: application\/json/im.test(head) ? JSON.parse(body) : null,
    }
  }
  return { ...http, get }
}

/** Every way in which these reach another path once dots, backslashes or percent signs are resolved. */
const HIDDEN = [
  '/x/../app',
  '/./app',
  '/app/.',
  '/app/./',
  '/app/..',
  '/.',
  '/..',
  '/../..',
  '/%2e/app',
  '/%2E%2e/app',
  '/.%2e/app',
  '/x/%2e%2e/app',
  '/a/b/c/d/e/../../../../../app',
  '/a/b/c/d/e/f/g/%2e%2e/../../../../../../app',
  '/x//../../app',
  '/\\app',
  '/app\\',
  '/x\\..\\app',
  '/x\\app',
  '/auth\\check',
  '/%61pp',
  '/ap%70',
  '/%2fapp',
  '/x%2f..%2fapp',
  '/app%5c',
  '/x/..%2fapp',
  '/x/..%5capp',
  '/%25%36%31pp',
  '/assets/../metrics',
  '/x/../assets/page.css',
  '/x/../webhook/stripe',
  '/x/../auth/check?email=ada@example.com',
  '/auth/../health',
  '/auth/%6cogin',
  'http://alibi.example/x/../app',
  'http://alibi.example/%61pp',
]

describe('a target that says one path and means another', () => {
  test.each(HIDDEN)('is 404 and counts as any unknown path: %s', async (target) => {
    const { status, policy, body } = await openOverSocket().get(target)
    expect({ status, body }).toEqual(answers(404, 'Endpoint not found'))
    expect(policy).toBe('general')
  })

  test('is found with an empty Host too, which keeps Bun from resolving it', async () => {
    const { get } = openOverSocket()
    for (const target of ['/x/../app', '/%2e/app', '/x\\..\\app', '/%61pp']) {
      expect(await get(target, '')).toMatchObject({ status: 404, policy: 'general' })
    }
  })

  test('is no path of ours in the log and in the metrics', async () => {
    const { get, ports } = openOverSocket()
    await get('/x/../app')
    expect(ports.telemetry.of('request_answered')).toMatchObject([{ route: null, status: 404 }])
  })
})

describe('a target that is no path', () => {
  test.each(['app', '\\app', '*', '?x', 'alibi.example:443'])('is 400: %s', async (target) => {
    expect((await openOverSocket().get(target)).status).toBe(400)
  })
})

describe('a target that means what it says', () => {
  test.each([
    ['/', 200, 'general'],
    ['/?x=/../%61\\', 200, 'general'],
    ['/app', 200, null],
    ['/app?next=/../x', 200, null],
    ['/app?lang=%64e', 200, null],
    ['/health', 200, null],
    ['/languages', 200, 'general'],
    ['http://alibi.example/app', 200, null],
    ['http://alibi.example', 200, 'general'],
    ['/auth/check?email=ada%40example.com', 200, 'auth'],
    ['/assets/nothing.css', 404, null],
    ['/auth/nothing', 404, 'auth'],
    ['/auth/a/b/c/d/e/f', 404, 'auth'],
    ['/auth//login', 404, 'auth'],
    ['/...', 404, 'general'],
    ['/.well-known/nothing', 404, 'general'],
    ['//app', 404, 'general'],
    ['/app/', 404, 'general'],
  ])('is answered as ever: %s', async (target, status, policy) => {
    expect(await openOverSocket().get(target)).toMatchObject({ status, policy })
  })

  test('is one of at most as many segments as are looked at', () => {
    const paths = createApp(unlimitedOptions(openHttp().ports)).routes.map(({ path }) => path)
    const longest = Math.max(...paths.map((path) => path.split('/').length - 1))
    expect(longest).toBeLessThanOrEqual(SEGMENTS_MAX)
    expect(paths.filter((path) => path.includes('//') || /.\/$/.test(path))).toEqual([])
  })

  test('is taken as it is where nobody knows how it was sent', () => {
    const app = { path: '/app', search: '', refusal: null }
    expect(readTarget('http://localhost/app')).toEqual({ ...app, isPlain: true })
    expect(readTarget('/app')).toEqual({ ...app, isPlain: false })
    expect(readTarget('http://')).toMatchObject({ path: '', refusal: 'invalid_request' })
  })

  test.each([
    ['http://localhost/app?lang=sv', true],
    ['http://x/app', true],
    ['http://[::1]:3000/', false],
    ['http://localhost/app#part', false],
    ['http://localhost/app?lang=sv#part', false],
    ['http://user@localhost/app', false],
    ['http://localhost/%61pp', false],
    [`http://localhost/app?${'&'.repeat(LIST_ENTRIES_MAX)}`, false],
  ])('is plain only where the routes cannot read another: %s', (url, isPlain) => {
    expect(readTarget(url).isPlain).toBe(isPlain)
  })
})
