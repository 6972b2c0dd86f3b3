import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openProduction, type Production, SECRETS } from '../support/executable/production.ts'
import { type Asked, missingFor, proxiedClient } from '../support/executable/proxied-client.ts'
import {
  HOST,
  type REVERSE_PROXIES,
  type ReverseProxy,
  startReverseProxy,
} from '../support/executable/reverse-proxies.ts'
import { until } from '../support/executable/until.ts'
import { quietPort } from '../support/quiet-port.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { stripePayload, stripeSignature } from '../support/stripe/stripe-events.ts'

/*
 * The executable behind real reverse proxies that run the examples of operations/. Every address of 127.0.0.0/8 is this
 * machine, so that clients differ by the address that they call from.
 */

const MIB = 1024 * 1024
const AUTH_LIMIT = 3

describe.each(['caddy', 'nginx'] as const)('behind %s', (name: keyof typeof REVERSE_PROXIES) => {
  const missing = missingFor(name)
  if (missing !== null) {
    process.stdout.write(`not tested here: the example for ${name}: no ${missing} runs here\n`)
    return
  }

  let production: Production
  let alibi: AlibiProcess
  let proxy: ReverseProxy
  let port: number

  beforeAll(async () => {
    production = await openProduction()
    port = await quietPort()
    alibi = await start()
    proxy = await startReverseProxy(name, {
      folder: join(production.folder, name),
      backends: [`127.0.0.1:${port}`],
    })
  })
  afterAll(async () => {
    await proxy.stop()
    await production[Symbol.asyncDispose]()
  })

  function start(): Promise<AlibiProcess> {
    const env = {
      ...production.settings,
      PORT: String(port),
      PUBLIC_URL: `https://${HOST}`,
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_AUTH: `${AUTH_LIMIT}/15m`,
    }
    return production.start({ env })
  }

  const ask = (asked: Asked) => proxiedClient(proxy, production.folder)(asked)

  /** A proxy writes about a request once it has answered it. */
  const logged = (text: string) =>
    until(`${name} has written ${text}`, () => proxy.log().includes(text))

  async function notify(bytes: number) {
    const payload = stripePayload('customer.created.unhandled')
    const filling = ' '.repeat(bytes - Buffer.byteLength(payload))
    const body = `${filling}${payload}`
    const signature = await stripeSignature(body, SECRETS.STRIPE_WEBHOOK_SECRET, new Date())
    const headers = ['content-type: application/json', `stripe-signature: ${signature}`]
    return ask({ path: '/webhook/stripe', headers, body })
  }

  test('a client that claims to be others has one budget, and another client its own', async () => {
    const check = (from: string, claimed: string) =>
      ask({
        path: '/auth/check?email=anna@example.com',
        from,
        headers: [
          `x-forwarded-for: ${claimed}`,
          `forwarded: for=${claimed}`,
          `x-real-ip: ${claimed}`,
        ],
      })
    const statuses: number[] = []
    for (const claimed of ['203.0.113.1', '203.0.113.2, 203.0.113.3', '127.0.0.1', '::1']) {
      statuses.push((await check('127.0.0.2', claimed)).status)
    }
    expect(statuses).toEqual([...Array<number>(AUTH_LIMIT).fill(200), 429])
    // Whom the first one claimed to be has lost nothing, and a neighbour neither.
    expect((await check('127.0.0.3', '127.0.0.2')).status).toBe(200)
  })

  test('a notification of 1 MiB arrives as it was signed, and a longer one is refused', async () => {
    expect(await notify(MIB)).toMatchObject({ status: 200, text: '{"received":true}' })
    const longer = await notify(MIB + 1)
    expect(longer).toMatchObject({ status: 413, text: '{"error":"Request too large"}' })
    expect((await notify(3 * MIB)).status).toBe(413)
  })

  test('the headers of security are those of Alibi, each once', async () => {
    const { status, head } = await ask({ path: '/app' })
    expect(status).toBe(200)
    for (const header of [
      'strict-transport-security: max-age=63072000',
      'x-content-type-options: nosniff',
      'content-security-policy: ',
      'x-request-id: ',
    ]) {
      expect(head.toLowerCase().split(`\n${header}`).length - 1).toBe(1)
    }
  })

  test('the largest page arrives whole', async () => {
    const direct = await (await fetch(`${alibi.url}/docs`)).text()
    expect(direct.length).toBeGreaterThan(200_000)
    expect((await ask({ path: '/docs' })).text).toBe(direct)
  })

  test('whoever comes without TLS is sent on', async () => {
    const { status, head } = await ask({ path: '/app?lang=fr', scheme: 'http' })
    expect(status).toBe(308)
    expect(head).toMatch(/^location: https:\/\/alibi\.example\.com(?::\d+)?\/app\?lang=fr\r?$/im)
  })

  test('no address that somebody asks about is left in the log of the proxy', async () => {
    await ask({ path: '/auth/check?email=secret@example.com', from: '127.0.0.5' })
    if (name === 'nginx') await logged('"GET /auth/check" 200')
    expect(proxy.log()).not.toContain('secret')
  })

  test('a restart of Alibi needs none of the proxy', async () => {
    expect((await ask({ path: '/ready' })).status).toBe(200)
    await alibi.stop()
    // Nor is an address in the log where the proxy says what is wrong. Caddy tries for ten seconds before.
    const check = { path: '/auth/check?email=secret@example.com' }
    expect((await ask(check)).status).toBe(502)
    if (name === 'caddy') await logged('"uri":"/auth/check"')
    expect(proxy.log()).not.toContain('secret')
    // nginx says at once that nobody answers; Caddy holds the request until somebody does, for as long as above.
    if (name === 'nginx') expect((await ask({ path: '/ready' })).status).toBe(502)
    await until('what was asked meanwhile is answered', async () => {
      await alibi.stop()
      const during = ask({ path: '/ready' })
      alibi = await start()
      return name === 'nginx' || (await during).status === 200
    })
    expect((await ask({ path: '/ready' })).status).toBe(200)
  })
})
