import { afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type Listener, listen } from '../../interfaces/http/listen.ts'
import { EMAIL, openHttp } from '../support/http/http-client.ts'

// A request that a proxy in front takes for one, and the service for two, would bring the second past the proxy's rules
// (CWE-444).

const HIDDEN = 'GET /languages HTTP/1.1\r\nHost: x\r\n\r\n'
/** Only this answer has it. */
const HIDDEN_ANSWER = '"default":"en"'
const PIPELINED = 200

const opened: Listener[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.stop()))
})

function open() {
  const http = openHttp()
  const listener = listen({ host: '127.0.0.1', port: 0 })
  opened.push(listener)
  listener.use(http.handler)
  return { ...http, listener }
}

/**
 * Sends these very bytes and returns all that comes back until the other side closes. Where it would wait for more,
 * `isAll` says that no more will come: the other side may then close before it has answered.
 */
function exchange({ port }: Listener, text: string, { isAll = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      if (isAll) socket.end(text, 'latin1')
      else socket.write(text, 'latin1')
    })
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (data) => {
      received += data
    })
    // A connection that the service resets has said what it had to say.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
}

const post = (headers: string, body: string) =>
  `POST /auth/verify-email HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n${body}`
const CHUNKED = `0\r\n\r\n${HIDDEN}`
const SIZE = `Content-Length: ${CHUNKED.length}`

describe('a request whose length can be read in two ways is refused as a whole', () => {
  test.each([
    ['a length and chunks', post(`${SIZE}\r\nTransfer-Encoding: chunked\r\n`, CHUNKED)],
    ['chunks and a length', post(`Transfer-Encoding: chunked\r\n${SIZE}\r\n`, CHUNKED)],
    ['two lengths', post(`Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n`, HIDDEN)],
    ['a list of lengths', post('Content-Length: 0, 0\r\n', HIDDEN)],
    ['a signed length', post('Content-Length: +0\r\n', HIDDEN)],
    ['a length below zero', post('Content-Length: -1\r\n', HIDDEN)],
    ['a length in base 16', post('Content-Length: 0x0\r\n', HIDDEN)],
    ['a length of 2^64', post('Content-Length: 18446744073709551616\r\n', HIDDEN)],
    ['an unknown coding', post('Transfer-Encoding: xchunked\r\n', CHUNKED)],
    ['chunks that are not last', post('Transfer-Encoding: chunked, identity\r\n', CHUNKED)],
    [
      'chunks said twice',
      post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', CHUNKED),
    ],
    ['a space before the colon', post('Transfer-Encoding : chunked\r\n', CHUNKED)],
    ['a header on two lines', post('Transfer-Encoding:\r\n chunked\r\n', CHUNKED)],
    ['a vertical tab before the coding', post('Transfer-Encoding: \vchunked\r\n', CHUNKED)],
    [
      'chunks in HTTP/1.0',
      post('Transfer-Encoding: chunked\r\n', CHUNKED).replace('HTTP/1.1', 'HTTP/1.0'),
    ],
    [
      'a line feed in a chunk extension',
      post('Transfer-Encoding: chunked\r\n', `0;\n\r\n${HIDDEN}`),
    ],
    ['a chunk of no number', post('Transfer-Encoding: chunked\r\n', `g\r\n\r\n${HIDDEN}`)],
    ['a chunk of 2^64', post('Transfer-Encoding: chunked\r\n', `10000000000000000\r\n${HIDDEN}`)],
    ['a NUL in a header', post('X: a\0b\r\nContent-Length: 0\r\n', HIDDEN)],
  ])('%s', async (_, text) => {
    const { listener, ports } = open()
    const answer = await exchange(listener, text, { isAll: true })
    // Whatever the service has taken for a request has come to its end by then.
    await fetch(`${listener.url}/health`)
    expect(answer).not.toContain(HIDDEN_ANSWER)
    expect(answer.match(/HTTP\/1\.[01] /g)?.length ?? 0).toBeLessThanOrEqual(1)
    if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.[01] (?:400|505) /)
    expect(ports.mailer.mails).toEqual([])
  })
})

test('a trailer behind chunks is no request, and no second answer is taken for that to another', async () => {
  const { listener } = open()
  const chunks = (last: string) => post('Transfer-Encoding: chunked\r\n', `2\r\n{}\r\n0\r\n${last}`)
  for (const last of [HIDDEN, `X-Trailer: one\r\n\r\n${HIDDEN}`, `\r\n${HIDDEN}`]) {
    const answer = await exchange(listener, chunks(last))
    expect(answer).not.toContain(HIDDEN_ANSWER)
    const [first = ''] = answer.toLowerCase().split('\r\n\r\n')
    expect(first).toContain('\r\nconnection: close')
  }
})

test('requests in one piece are answered one by one, in their order', async () => {
  const { listener } = open()
  const paths = Array.from({ length: PIPELINED }, (_, index) =>
    index % 3 ? '/languages' : '/health',
  )
  const close = (index: number) => (index === PIPELINED - 1 ? 'Connection: close\r\n' : '')
  const answer = await exchange(
    listener,
    paths.map((path, index) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${close(index)}\r\n`).join(''),
  )
  const bodies = [...answer.matchAll(/\{"(status|languages)":/g)].map(([, name]) => name)
  expect(bodies).toEqual(paths.map((path) => (path === '/health' ? 'status' : 'languages')))
})

test('a body belongs to its own request, also among others in one piece', async () => {
  const { listener, ports } = open()
  const body = (email: string) => `{"email":"${email}"}`
  const one = (email: string, header = 'X: y') =>
    post(`${header}\r\nContent-Length: ${body(email).length}\r\n`, body(email))
  await exchange(listener, one(EMAIL) + one('bob@example.com') + one(EMAIL, 'Connection: close'))
  expect(ports.mailer.mails.map(({ to }) => String(to)).toSorted()).toEqual([
    EMAIL,
    EMAIL,
    'bob@example.com',
  ])
})
