import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import { FIRST_EPOCH } from '../../domain/log-out.ts'
import { createHandler } from '../../interfaces/http/handler.ts'
import { fakePorts } from '../support/fakes.ts'
import { EMAIL } from '../support/http/http-client.ts'
import { unlimitedOptions } from '../support/http/http-options.ts'
import { promisedLimits } from '../support/service/real-service.ts'

const WINDOW_MS = 15 * MINUTE_MS

/** The service with its promised budgets, without a log that would keep a line for each request of a flood. */
function openShop() {
  const ports = fakePorts({ log: () => {}, telemetry: { record: () => {} } })
  const limiters = promisedLimits(ports.clock)
  const handler = createHandler({ ...unlimitedOptions(ports), limiters })

  async function send(peer: string, path = '/nothing', headers: Record<string, string> = {}) {
    const answer = await handler(new Request(`http://localhost${path}`, { headers }), () => peer)
    return { status: answer.status, rateLimit: answer.headers.get('ratelimit') }
  }
  return {
    ports,
    send,
    /** Sends a request from each of them, and counts those that were refused. */
    async flood(peers: Iterable<string>, path?: string): Promise<number> {
      let refused = 0
      for (const peer of peers) if ((await send(peer, path)).status === 429) refused++
      return refused
    },
  }
}

/** A client of each /64, in their order, of a network of /48. */
function* sixtyFours(network: string, count: number): Generator<string> {
  for (let index = 0; index < count; index++) {
    yield `${network}:${(index % 65_536).toString(16)}::${(index >> 16).toString(16)}`
  }
}

/** Every address of as many networks of /24 that lie side by side. */
function* addressesOf(networks: number): Generator<string> {
  for (let index = 0; index < networks * 256; index++) {
    yield `198.${18 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`
  }
}

/** People from everywhere, no two of one network. */
function people(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0
      ? `${20 + (index % 150)}.${index >> 8}.${index & 255}.77`
      : `2a0${index % 8}:${(0x100 + index).toString(16)}:1:2::77`,
  )
}

describe('a flood', () => {
  test.each([79_536, 119_536])(
    'of %d requests from one /48 shuts no newcomer out',
    async (requests) => {
      const shop = openShop()
      const refused = await shop.flood(sixtyFours('2001:db8:66', requests))
      expect(await shop.flood(people(1000))).toBe(0)
      expect(refused).toBe(requests - 160)
    },
  )

  test('from 60,000 networks of /64 and 51,200 addresses leaves all others a budget of their own', async () => {
    const shop = openShop()
    for (const path of ['/nothing', '/auth/nothing']) {
      await shop.flood(sixtyFours('2001:db8:66', 60_000), path)
      await shop.flood(addressesOf(200), path)
    }
    for (const peer of people(200)) {
      expect(await shop.send(peer)).toEqual({ status: 404, rateLimit: '"general";r=9;t=900' })
      expect((await shop.send(peer, '/auth/nothing')).rateLimit).toBe('"auth";r=4;t=900')
    }
    // Whoever was there first keeps what is theirs, in the middle of the flood too.
    expect(await shop.send('198.18.0.1')).toMatchObject({ rateLimit: '"general";r=8;t=900' })
  })

  test('leaves nothing behind', async () => {
    const shop = openShop()
    await shop.flood(sixtyFours('2001:db8:66', 8000))
    expect((await shop.send('2001:db8:66:ffff::1')).status).toBe(429)
    shop.ports.clock.advance(WINDOW_MS)
    expect(await shop.send('2001:db8:66:ffff::1')).toEqual({
      status: 404,
      rateLimit: '"general";r=9;t=900',
    })
  })

  test('from all around them does not touch those who hold a token', async () => {
    const shop = openShop()
    const token = await shop.ports.tokens.issue(EMAIL, {
      now: shop.ports.clock.now(),
      epoch: FIRST_EPOCH,
    })
    const headers = { authorization: `Bearer ${token}` }
    await shop.flood(sixtyFours('2001:db8:66', 2000), '/i18n')
    expect((await shop.send('2001:db8:66:1::1', '/i18n')).status).toBe(429)
    const answer = await shop.send('2001:db8:66:1::1', '/i18n', headers)
    expect(answer).toEqual({ status: 403, rateLimit: '"premium";r=29;t=60' })
  })
})

describe('requests that are aimed at one person', () => {
  /** How a table that shares its overflow by an unkeyed sum would sort a client in. */
  const BUCKETS = 3125
  const bucketOf = (name: string) => Bun.hash.crc32(name) % BUCKETS

  test('shut nobody out, however full the table is', async () => {
    const shop = openShop()
    const victim = '203.0.113.99'
    await shop.flood(sixtyFours('2001:db8:66', 50_000), '/auth/nothing')
    await shop.flood(addressesOf(200), '/auth/nothing')

    const aimed = new Set<string>()
    for (let index = 0; aimed.size < 10; index++) {
      const network = `2001:db8:67:${index.toString(16)}::/64`
      if (bucketOf(network) === bucketOf(victim)) aimed.add(network.replace('::/64', '::1'))
      const other = `192.0.${index >> 8}.${index & 255}`
      if (bucketOf(other) === bucketOf(victim)) aimed.add(other)
    }
    await shop.flood(aimed, '/auth/nothing')
    for (let left = 4; left >= 0; left--) {
      expect(await shop.send(victim, '/auth/nothing')).toEqual({
        status: 404,
        rateLimit: `"auth";r=${left};t=900`,
      })
    }
    expect((await shop.send(victim, '/auth/nothing')).status).toBe(429)
  })
})
