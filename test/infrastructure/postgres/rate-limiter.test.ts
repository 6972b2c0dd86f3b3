import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RateLimiter, RateLimitSubject } from '../../../application/ports.ts'
import { RATE_LIMIT_WIDTHS } from '../../../application/telemetry.ts'
import type { Email } from '../../../domain/email.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { openReplicas } from '../../support/postgres/rate-limit-replicas.ts'
import { CLIENT_ADDRESSES, rateLimitModel } from '../../support/rate-limit-model.ts'
import { IS_WHOLE } from '../../support/thoroughness.ts'

const WINDOW_MS = 1000
const OPTIONS = { name: 'auth', limit: 2, windowMs: WINDOW_MS }
const STEPS = fc.array(
  fc.record({ address: CLIENT_ADDRESSES, pauseMs: fc.constantFrom(1, 1, 20, 150, 700) }),
  { maxLength: 200, size: 'max' },
)

/** One replica, whose clock the test moves. */
async function openLimiter(options: Partial<Parameters<typeof limiterOf>[1]> = {}) {
  const opened = await openReplicas(1, { isClockMoved: true })
  const limiter = limiterOf(opened, { ...OPTIONS, ...options })
  return { ...opened, limiter, take: (name: string) => limiter.take(subjectOf(name)) }
}

type Replicas = Awaited<ReturnType<typeof openReplicas>>

function limiterOf(
  { replicas }: Replicas,
  options: Parameters<Replicas['replicas'][number]['limiter']>[0],
): RateLimiter {
  return replicas[0]!.limiter(options)
}

function subjectOf(name: string): RateLimitSubject {
  return name.includes('@')
    ? { kind: 'address', email: name as Email }
    : { kind: 'client', address: name }
}

if (hasPostgres()) {
  test.each([8, 24, 64, 100_000])(
    'clients and their networks are counted as the rules say, where there is room for %d places',
    async (clientsMax) => {
      const opened = await openReplicas(1, { isClockMoved: true })
      const { advance, now, prune, read } = opened
      const seen = new Set<string>()
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 3 }), STEPS, async (limit, steps) => {
          const limiter = limiterOf(opened, { ...OPTIONS, limit, clientsMax })
          const rules = { limit, windowMs: WINDOW_MS, placesMax: clientsMax }
          const model = rateLimitModel({ ...rules, fullWaitMs: WINDOW_MS })
          for (const { address, pauseMs } of steps) {
            advance(pauseMs)
            await prune()
            const verdict = await limiter.take({ kind: 'client', address })
            seen.add(verdict.width)
            expect(verdict).toEqual(model.take(address, now()))
          }
          advance(WINDOW_MS)
          await prune()
          expect(await read('SELECT * FROM rate_limits')).toEqual([])
          expect(await read('SELECT * FROM rate_limit_rooms WHERE places <> 0')).toEqual([])
        }),
        { numRuns: IS_WHOLE ? 100 : 15 },
      )
      if (clientsMax === 8) {
        const widths = RATE_LIMIT_WIDTHS.filter((width) => width !== 'address')
        expect([...seen].toSorted()).toEqual(widths.toSorted())
      }
    },
  )

  describe('a limiter in the database', () => {
    test.each(['192.0.2.1', '2001:db8::1', 'ada@example.com'])(
      'says to %s how many are left and when the next one becomes free',
      async (name) => {
        const { take, advance } = await openLimiter()
        const width = name.includes('@') ? 'address' : 'client'
        expect(await take(name)).toEqual({ accepted: true, remaining: 1, resetMs: 1000, width })
        advance(300)
        expect(await take(name)).toEqual({ accepted: true, remaining: 0, resetMs: 700, width })
        advance(699)
        expect(await take(name)).toEqual({ accepted: false, remaining: 0, resetMs: 1, width })
        advance(1)
        expect(await take(name)).toEqual({ accepted: true, remaining: 0, resetMs: 300, width })
      },
    )

    test('writes nothing for a request that it refuses', async () => {
      const { take, advance, read } = await openLimiter({ limit: 1 })
      const stored = () => read('SELECT xmin::text, * FROM rate_limits ORDER BY key')
      const networks = Array.from({ length: 4 }, (_, index) => `2001:db8:1:100${index}::1`)
      for (const network of networks) await take(network)
      const before = await stored()
      // A client of its own, in a /56 that has used up its budget.
      expect(await take('2001:db8:1:10ff::1')).toMatchObject({ accepted: false, width: '/56' })
      advance(500)
      expect(await take(networks[0]!)).toMatchObject({ accepted: false, resetMs: 500 })
      expect(await stored()).toEqual(before)
    })

    test('judges requests that travel together one after the other', async () => {
      const { take } = await openLimiter({ limit: 3 })
      const asked = ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']
      const verdicts = await Promise.all(asked.map(take))
      // Round trips may overtake each other.
      const verdictsOn = (name: string) =>
        verdicts
          .filter((_, index) => asked[index] === name)
          .map(({ accepted, remaining }) => `${accepted} ${remaining}`)
          .toSorted()
      expect(verdictsOn('192.0.2.1')).toEqual(['false 0', 'true 0', 'true 1', 'true 2'])
      expect(verdictsOn('192.0.2.2')).toEqual(['true 1', 'true 2'])
    })

    test('counts limits of different names apart, and addresses apart from clients', async () => {
      const opened = await openLimiter({ limit: 1 })
      const other = limiterOf(opened, { ...OPTIONS, name: 'general', limit: 1 })
      await opened.take('192.0.2.1')
      expect(await opened.take('192.0.2.1')).toMatchObject({ accepted: false })
      expect(await other.take(subjectOf('192.0.2.1'))).toMatchObject({ accepted: true })
      expect(await opened.take('ada@example.com')).toMatchObject({ accepted: true })
      expect(await opened.take('eve@example.com')).toMatchObject({ accepted: true })
      const nobody = { kind: 'client', address: null } as const
      expect(await other.take(nobody)).toMatchObject({ accepted: true })
      expect(await other.take(nobody)).toMatchObject({ accepted: false })
    })

    test.each([257, 1000, 4000])(
      'with a budget of %d never accepts more in a window, and is late by 1/64 of it at most',
      async (limit) => {
        const { limiter, advance, now, read } = await openLimiter({ limit, windowMs: 64_000 })
        const accepted: number[] = []
        const counted = (ms: number) => accepted.filter((at) => at > now() - ms).length
        for (let step = 0; step < 150; step++) {
          advance(900)
          const subject = subjectOf('192.0.2.1')
          const asked = Array.from({ length: limit / 50 }, () => limiter.take(subject))
          const verdicts = await Promise.all(asked)
          const refused = verdicts.filter((verdict) => !verdict.accepted)
          for (let more = refused.length; more < asked.length; more++) accepted.push(now())
          if (refused.length > 0) expect(counted(65_000)).toBeGreaterThanOrEqual(limit)
          for (const { resetMs } of verdicts) expect(resetMs).toBeWithin(1, 65_001)
          expect(counted(64_000)).toBeLessThanOrEqual(limit)
        }
        expect(accepted.length).toBeGreaterThan(limit)
        const [row] = await read('SELECT max(cardinality(hits)) AS hits FROM rate_limits')
        expect(row?.['hits']).toBeWithin(30, 67)
      },
    )

    test('believes no hit that a clock has made which was ahead', async () => {
      const { take, advance } = await openLimiter({ limit: 1 })
      advance(7_200_000)
      await take('192.0.2.1')
      advance(-7_200_000)
      expect(await take('192.0.2.1')).toMatchObject({ accepted: true })
      // A step of less than a minute opens nothing.
      advance(-30_000)
      expect(await take('192.0.2.1')).toMatchObject({ accepted: false, resetMs: 31_000 })
    })

    test('keeps no address of a person or of a client in plain', async () => {
      const { take, read } = await openLimiter()
      for (const name of ['ada@example.com', '192.0.2.77', '2001:db8:77::1']) await take(name)
      const stored = JSON.stringify([
        await read('SELECT * FROM rate_limits'),
        await read('SELECT * FROM rate_limit_rooms'),
      ])
      for (const secret of ['ada', '192.0', 'c000', '2001', 'db8']) {
        expect(stored.replaceAll(/"(?:key|crowd)":"[^"]*"/g, '')).not.toContain(secret)
      }
      const keys = await read('SELECT key::text FROM rate_limits')
      expect(keys).toHaveLength(5)
      for (const { key } of keys)
        expect(key).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    })
  })
}
