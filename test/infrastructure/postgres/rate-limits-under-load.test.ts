import { describe, expect, test } from 'bun:test'
import type { RateLimiter } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import type { Email } from '../../../domain/email.ts'
import { timeBudget } from '../../../infrastructure/postgres/connection/time-budget.ts'
import { sharedRateLimits } from '../../../infrastructure/postgres/rate-limiter.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { openReplicas } from '../../support/postgres/rate-limit-replicas.ts'
import { seededRandom } from '../../support/seeded-random.ts'

const HOUR_MS = 3_600_000

function takeAs(limiter: RateLimiter, address: string) {
  return limiter.take({ kind: 'client', address })
}

async function countAccepted(taken: readonly ReturnType<typeof takeAs>[]): Promise<number> {
  return (await Promise.all(taken)).filter(({ accepted }) => accepted).length
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

if (hasPostgres()) {
  describe('of requests to three replicas at once', () => {
    test.each([
      ['a client', { kind: 'client', address: '192.0.2.1' }],
      ['a client of IPv6', { kind: 'client', address: '2001:db8::1' }],
      ['the holder of a token', { kind: 'address', email: 'ada@example.com' as Email }],
    ] as const)('exactly as many as the budget of %s are accepted', async (_, subject) => {
      const { replicas } = await openReplicas(3)
      for (const round of numbers(8)) {
        const options = { name: `premium ${round}`, limit: 30, windowMs: HOUR_MS }
        const limiters = replicas.map(({ limiter }) => limiter(options))
        const taken = numbers(150).map((index) => limiters[index % 3]!.take(subject))
        const verdicts = await Promise.all(taken)
        const remaining = verdicts.filter(({ accepted }) => accepted).map((one) => one.remaining)
        expect(remaining.toSorted((one, other) => one - other)).toEqual(numbers(30))
        for (const { resetMs } of verdicts) expect(resetMs).toBeWithin(1, HOUR_MS + 1)
      }
    })

    test('the clients of a /56 and a /48 get what their network has, in whatever order they come', async () => {
      const { replicas, read } = await openReplicas(3)
      const limiters = replicas.map(({ limiter }) =>
        limiter({ name: 'auth', limit: 5, windowMs: HOUR_MS }),
      )
      const random = seededRandom(7)
      const addresses = numbers(400).map((index) => `2001:db8:1:${(index % 40).toString(16)}00::1`)
      const shuffled = limiters.map((limiter) => ({
        limiter,
        addresses: random.shuffle(addresses),
      }))
      const taken = shuffled.flatMap(({ limiter, addresses: order }) =>
        order.map((address) => takeAs(limiter, address)),
      )
      expect(await countAccepted(taken)).toBe(16 * 5)
      // Of a client that was refused, nothing is left.
      const [rows] = await read("SELECT count(*)::int AS unused FROM rate_limits WHERE hits = '{}'")
      expect(rows).toEqual({ unused: 0 })
    })

    test('those of many clients in opposite orders never end in a deadlock', async () => {
      const { replicas, prune } = await openReplicas(3)
      const limiters = replicas.map(({ limiter }) =>
        limiter({ name: 'auth', limit: 1000, windowMs: 50, clientsMax: 200 }),
      )
      const addresses = numbers(60).flatMap((index) => [
        `10.${index % 4}.0.${index}`,
        `2001:db8:${index % 3}:${index}00::1`,
      ])
      for (let round = 0; round < 15; round++) {
        const taken = limiters.flatMap((limiter, index) => {
          const order = index % 2 === 0 ? addresses : addresses.toReversed()
          return order.map((address) => takeAs(limiter, address))
        })
        const [verdicts] = await Promise.all([Promise.all(taken), prune(), prune(50)])
        expect(verdicts).toHaveLength(360)
      }
    })
  })

  describe('a flood of clients', () => {
    test('fills no more than its part, forgets nobody who is busy, and shares the budget of its own networks', async () => {
      const opened = await openReplicas(2, { isClockMoved: true })
      const { replicas, read, advance, prune } = opened
      const options = { name: 'auth', limit: 2, windowMs: 10_000, clientsMax: 16_000 }
      const [busy, flooded] = replicas.map(({ limiter }) => limiter(options))
      expect(await countAccepted([takeAs(busy!, '192.0.2.1'), takeAs(busy!, '192.0.2.1')])).toBe(2)
      let accepted = 0
      for (const block of numbers(12)) {
        const from = numbers(250).map((index) => `10.0.${index}.${block}`)
        const wide = numbers(250).map(
          (index) => `2001:db8:${(250 * block + index).toString(16)}::1`,
        )
        accepted += await countAccepted(
          [...from, ...wide].map((address) => takeAs(flooded!, address)),
        )
        advance(1)
      }
      const crowds = await read('SELECT places FROM rate_limit_rooms ORDER BY places DESC')
      const [whole, ...each] = crowds.map(({ places }) => Number(places))
      expect(await read('SELECT * FROM rate_limits')).toHaveLength(whole!)
      // An eighth of the room is for one /16 or /32.
      for (const places of each) expect(places).toBeLessThanOrEqual(16_000 / 8)
      expect(accepted).toBeLessThan(2 * (16_000 / 8))
      expect(await takeAs(busy!, '192.0.2.1')).toMatchObject({ accepted: false, width: 'client' })
      expect(await takeAs(busy!, '198.51.100.1')).toMatchObject({ accepted: true, width: 'client' })
      expect(await takeAs(busy!, '2001:db9::1')).toMatchObject({ accepted: true, width: 'client' })
      expect(await takeAs(flooded!, '10.0.77.77')).toMatchObject({ width: '/24' })

      advance(10_000)
      while (await prune(500)) {}
      expect(await read('SELECT * FROM rate_limits')).toEqual([])
      expect(await read('SELECT * FROM rate_limit_rooms WHERE places <> 0')).toEqual([])
    })

    test('never makes the table larger than its room, whatever networks it has', async () => {
      const { replicas, read, prune } = await openReplicas(1, { isClockMoved: true })
      const limiter = replicas[0]!.limiter({
        name: 'auth',
        limit: 1,
        windowMs: 10_000,
        clientsMax: 500,
      })
      for (const block of numbers(20)) {
        const addresses = numbers(250).map((index) => `${index + 1}.${block}.${block}.1`)
        await countAccepted(addresses.map((address) => takeAs(limiter, address)))
      }
      const [{ rows } = {}] = await read('SELECT count(*)::int AS rows FROM rate_limits')
      expect(rows).toBeWithin(400, 501)
      expect(await takeAs(limiter, '255.1.0.1')).toEqual({
        accepted: false,
        remaining: 0,
        resetMs: 10_000,
        width: '/16',
      })
      expect(await prune()).toBe(false)
      expect(await takeAs(limiter, '255.1.0.1')).toMatchObject({ accepted: false })
    })

    test('of tokens leaves room for one place that all further holders share', async () => {
      const { replicas } = await openReplicas(1, { isClockMoved: true })
      const limiter = replicas[0]!.limiter({
        name: 'premium',
        limit: 1,
        windowMs: 10_000,
        addressesMax: 32,
      })
      let accepted = 0
      for (const index of numbers(200)) {
        const email = `${index}@example.com` as Email
        const verdict = await limiter.take({ kind: 'address', email })
        expect(verdict.width).toBe('address')
        if (verdict.accepted) accepted++
      }
      expect(accepted).toBe(30 + 64)
    })
  })

  describe('pruning', () => {
    test('removes a place once its last hit is over, and not before', async () => {
      const { replicas, advance, prune, read } = await openReplicas(1, { isClockMoved: true })
      const limiter = replicas[0]!.limiter({ name: 'auth', limit: 5, windowMs: 10_000 })
      const places = async () => (await read('SELECT * FROM rate_limits')).length
      await takeAs(limiter, '192.0.2.1')
      advance(4000)
      await takeAs(limiter, '192.0.2.1')
      await takeAs(limiter, '192.0.2.2')
      advance(6000)
      await prune()
      expect(await places()).toBe(2)
      // The first hit is over, the second is not.
      expect(await takeAs(limiter, '192.0.2.1')).toMatchObject({ remaining: 3, resetMs: 4000 })
      advance(4000)
      await prune()
      expect(await places()).toBe(1)
      advance(5999)
      await prune()
      expect(await places()).toBe(1)
      advance(1)
      await prune()
      expect(await places()).toBe(0)
    })

    test('looks at no more than it is told to, and says whether there may be more', async () => {
      const { replicas, advance, prune, read } = await openReplicas(1, { isClockMoved: true })
      const limiter = replicas[0]!.limiter({ name: 'auth', limit: 5, windowMs: 1000 })
      await countAccepted(numbers(25).map((index) => takeAs(limiter, `192.0.2.${index}`)))
      advance(1000)
      expect(await prune(10)).toBe(true)
      expect(await read('SELECT * FROM rate_limits')).toHaveLength(15)
      expect([await prune(10), await prune(10)]).toEqual([true, false])
      expect(await read('SELECT * FROM rate_limits')).toEqual([])
    })

    test('finds what is due by an index, and a hit changes none', async () => {
      const { replicas, read } = await openReplicas(1)
      const limiter = replicas[0]!.limiter({ name: 'auth', limit: 50, windowMs: HOUR_MS })
      for (const index of numbers(40)) await takeAs(limiter, `192.0.2.${index % 2}`)
      const plan = await read(
        'EXPLAIN SELECT FROM rate_limits WHERE check_at <= 5 ORDER BY check_at LIMIT 10 FOR UPDATE SKIP LOCKED',
      )
      expect(JSON.stringify(plan)).toContain('rate_limits_check_at')
      await read('SELECT pg_stat_force_next_flush()')
      const [updates] = await read(
        "SELECT pg_stat_get_tuples_updated('rate_limits'::regclass) - pg_stat_get_tuples_hot_updated('rate_limits'::regclass) AS cold",
      )
      // A page may be full while something else still looks at old rows.
      expect(Number(updates?.['cold'])).toBeLessThan(10)
    })
  })
}

test('a database that fails is passed on to every request of the round trip', async () => {
  const outage = new Unavailable('storage', { cause: new Error('connection refused') })
  const { limiter } = sharedRateLimits({
    database: {
      async query() {
        throw outage
      },
    },
    budget: timeBudget({ limitMs: 5000, monotonicMs: () => 0 }),
  })
  const limited = limiter({ name: 'auth', limit: 5, windowMs: HOUR_MS })
  const taken = numbers(5).map(async () => takeAs(limited, '192.0.2.1'))
  for (const { status, reason } of (await Promise.allSettled(taken)) as PromiseRejectedResult[]) {
    expect({ status, reason }).toEqual({ status: 'rejected', reason: outage })
  }
})
