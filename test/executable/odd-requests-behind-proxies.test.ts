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
  let listeners: Listener[]
  let proxy: ReverseProxy

  beforeAll(async () => {
    listeners = Array.from({ length: machines }, () => {
      const listener = listen({ host: '127.0.0.1', port: 0 })
      listener.use(openHttp().handler)
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

  async function ask(text: string): Promise<number[]> {
    const address = { host: '127.0.0.1', port: proxy.httpsPort, servername: HOST }
    return statusesOf(await exchangeRaw(connect({ ...address, rejectUnauthorized: false }), text))
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
