import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { type Listener, listen } from '../../interfaces/http/listen.ts'
import { missingFor } from '../support/executable/proxied-client.ts'
import {
  HOST,
  type ReverseProxy,
  startReverseProxy,
} from '../support/executable/reverse-proxies.ts'
import { openHttp } from '../support/http/http-client.ts'
import { exchangeRaw, statusesOf } from '../support/http/raw-exchange.ts'
import { openTemporaryFolder } from '../support/temporary-folder.ts'

/*
 * What Bun takes for something else than it is (docs/upstream.md), behind real reverse proxies that run the examples of
 * operations/.
 */

const HOST_LINE = `Host: ${HOST}\r\n`
const CLOSE = 'Connection: close\r\n'

const get = (head: string) => `GET /languages HTTP/1.1\r\n${head}${CLOSE}\r\n`
const withMethod = (method: string) => `${method} /languages HTTP/1.1\r\n${HOST_LINE}${CLOSE}\r\n`

/** A proxy takes both for one request each; Bun by itself refuses the second. */
const TRAILER_AND_NEXT = [
  `POST /auth/nothing HTTP/1.1\r\n${HOST_LINE}Trailer: X-Trailer\r\nTransfer-Encoding: chunked\r\n\r\n`,
  '2\r\n{}\r\n0\r\nX-Trailer: one\r\n\r\n',
  get(HOST_LINE),
].join('')

const EXAMPLES = [
  ['caddy', 1],
  ['caddy', 2],
  ['nginx', 1],
  ['nginx', 2],
] as const

describe.each(EXAMPLES)('the example for %s with machines: %p', (name, machines) => {
  const missing = missingFor(name)
  if (missing !== null) {
    process.stdout.write(`not tested here: odd requests behind ${name}: no ${missing} runs here\n`)
    return
  }

  const folder = openTemporaryFolder()
  /** The machines that got a visitor. */
  const visited = new Set<number>()
  let listeners: Listener[]
  let proxy: ReverseProxy

  beforeAll(async () => {
    listeners = Array.from({ length: machines }, (_, machine) => {
      const listener = listen({ host: '127.0.0.1', port: 0 })
      const { handler } = openHttp()
      listener.use((request, ...more) => {
        if (new URL(request.url).pathname === '/languages') visited.add(machine)
        return handler(request, ...more)
      })
      return listener
    })
    proxy = await startReverseProxy(name, {
      folder: join(folder.path, name),
      backends: listeners.map(({ port }) => `127.0.0.1:${port}`),
    })
  })
  afterAll(async () => {
    await proxy.stop()
    await Promise.all(listeners.map((listener) => listener.stop()))
    folder[Symbol.dispose]()
  })

  const LONG = 'x'.repeat(1_900_000)
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const long = (target: string, headers: string, body: string) =>
    `${target} HTTP/1.1\r\n${HOST_LINE}${CLOSE}${headers}\r\n${body}`
  const known = (body: string) => `Content-Length: ${body.length}\r\n`
  const IN_CHUNKS = 'Transfer-Encoding: chunked\r\n'

  test('no refused body takes a machine for failed, and each is answered what it deserves', async () => {
    const refused = [
      [long('PUT /app', known(LONG), LONG), 404],
      [long('PUT /app', IN_CHUNKS, chunked(LONG)), 404],
      [long('POST /webhook/stripe', known(LONG.slice(0, 300_000)), LONG.slice(0, 300_000)), 400],
      [long('POST /auth/login', known(LONG), LONG), 413],
      [long('POST /auth/login', IN_CHUNKS, chunked(LONG)), 413],
    ] as const
    for (let times = 0; times < 5; times++) {
      for (const [text, status] of refused) {
        const answers = await Promise.all([ask(text), ask(text), ask(get(HOST_LINE))])
        expect([text.slice(0, 40), ...answers]).toEqual([
          text.slice(0, 40),
          [status],
          [status],
          [200],
        ])
      }
    }
  })

  // Caddy's example for several leaves a machine alone for five seconds after a broken round trip, whoever broke it.
  const isJudged = name === 'caddy' && machines > 1
  if (isJudged)
    process.stdout.write(
      'not tested here: broken round trips at several machines behind caddy: it counts them\n',
    )
  test.if(!isJudged)(
    'nor does one that the proxy or Bun refuses, or that breaks off: each machine gets visitors',
    async () => {
      const tooLong = LONG.repeat(3)
      const many = Array.from({ length: 300 }, (_, index) => `X-${index}: x\r\n`).join('')
      const odd = [
        long('PUT /app', known(tooLong), tooLong),
        long('PUT /app', IN_CHUNKS, chunked(tooLong)),
        long('PUT /app', many + known(LONG), LONG),
        long('PUT /app', `X-Long: ${LONG.slice(0, 20_000)}\r\n${known(LONG)}`, LONG),
        long('PUT /app', `X-Odd: \x01\r\n${known(LONG)}`, LONG),
      ]
      for (const text of odd) {
        await Promise.all(Array.from({ length: 4 }, () => ask(text)))
        await expectVisitors()
      }
      for (let times = 0; times < 4; times++) {
        await breakOff(long('POST /auth/login', known(LONG), '{'))
        await expectVisitors()
      }
    },
  )

  /** They take turns. */
  async function expectVisitors(): Promise<void> {
    visited.clear()
    for (let times = 0; times < 4; times++) expect(await ask(get(HOST_LINE))).toEqual([200])
    expect(visited.size).toBe(machines)
  }

  /** Sends it, and is gone before there is an answer. */
  function breakOff(text: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = connectToProxy()
      socket.on('secureConnect', () => socket.write(text, () => socket.destroy()))
      socket.on('close', () => resolve())
    })
  }

  function connectToProxy() {
    const address = { host: '127.0.0.1', port: proxy.httpsPort, servername: HOST }
    return connect({ ...address, rejectUnauthorized: false })
  }

  async function ask(text: string): Promise<number[]> {
    return statusesOf(await exchangeRaw(connectToProxy(), text))
  }

  test('answers a method that Bun does not know by itself, and takes no machine for failed', async () => {
    for (const method of ['FOO', 'FOO', 'BAR']) {
      expect(await ask(withMethod(method))).toEqual([501])
    }
    // nginx takes no small letters.
    expect(await ask(withMethod('get'))).toEqual([name === 'nginx' ? 400 : 501])
    expect(await ask(get(HOST_LINE))).toEqual([200])
  })

  test.each([
    ['two hosts', `${HOST_LINE}Host: b.example\r\n`],
    ['the same host twice', `${HOST_LINE}${HOST_LINE}`],
    ['a host that is none', 'Host: a b\r\n'],
  ])('refuses %s by itself', async (_, lines) => {
    expect(await ask(get(lines))).toEqual([400])
  })

  test('gives each request its own answer where a trailer follows chunks', async () => {
    // Bun ends the connection of the first one by itself, at times before the proxy has read its answer: then that is
    // 502, and the next one goes to whom the proxy does not take for failed. No answer is ever that of another one.
    for (let times = 0; times < 3; ) {
      const [own = 0, next = 0] = await ask(TRAILER_AND_NEXT)
      if (own === 404) times++
      else expect([502, 503]).toContain(own)
      expect(own === 404 ? [200] : [200, 502, 503]).toContain(next)
    }
  })
})
