import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RateLimitSubject } from '../../../application/ports.ts'
import type { Email } from '../../../domain/email.ts'
import { slidingWindowLimiter } from '../../../infrastructure/rate-limit/sliding-window-limiter.ts'

const WINDOW_MS = 1000

function openLimiter(limit: number, own: { placesMax?: number; addressesMax?: number } = {}) {
  let now = 0
  const limiter = slidingWindowLimiter({
    limit,
    windowMs: WINDOW_MS,
    monotonicMs: () => now,
    seeds: [1, 2],
    ...own,
  })
  return {
    take: (name: string) => limiter.take(subjectOf(name)),
    advance(milliseconds: number) {
      now += milliseconds
    },
    now: () => now,
  }
}

function subjectOf(name: string): RateLimitSubject {
  return name.includes('@')
    ? { kind: 'address', email: name as Email }
    : { kind: 'client', address: name }
}

/** The accepted requests, kept for ever and counted again each time. */
function naiveLimiter(limit: number) {
  const accepted: { name: string; at: number }[] = []
  return {
    take(name: string, now: number): boolean {
      const counted = accepted.filter((hit) => hit.name === name && hit.at > now - WINDOW_MS)
      const isAccepted = counted.length < limit
      if (isAccepted) accepted.push({ name, at: now })
      return isAccepted
    },
  }
}

const SUBJECTS = [
  ...Array.from({ length: 8 }, (_, index) => `192.0.2.${index}`),
  ...Array.from({ length: 8 }, (_, index) => `${index}@example.com`),
]
const STEPS = fc.array(
  fc.record({ name: fc.constantFrom(...SUBJECTS), pauseMs: fc.integer({ min: 0, max: 400 }) }),
  { maxLength: 120 },
)

describe('slidingWindowLimiter', () => {
  test('decides as a naive count over everything that was accepted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), STEPS, async (limit, steps) => {
        const limiter = openLimiter(limit)
        const model = naiveLimiter(limit)
        for (const { name, pauseMs } of steps) {
          limiter.advance(pauseMs)
          const { accepted } = await limiter.take(name)
          expect(accepted).toBe(model.take(name, limiter.now()))
        }
      }),
    )
  })

  test.each(['192.0.2.1', '2001:db8::1', 'ada@example.com'])(
    'says to %s how many places are left and when the next one becomes free',
    async (name) => {
      const limiter = openLimiter(2)
      const width = name.includes('@') ? 'address' : 'client'
      const at = async () => limiter.take(name)
      expect(await at()).toEqual({ accepted: true, remaining: 1, resetMs: 1000, width })
      limiter.advance(300)
      expect(await at()).toEqual({ accepted: true, remaining: 0, resetMs: 700, width })
      limiter.advance(699)
      expect(await at()).toEqual({ accepted: false, remaining: 0, resetMs: 1, width })
      limiter.advance(1)
      expect(await at()).toEqual({ accepted: true, remaining: 0, resetMs: 300, width })
    },
  )

  test('a refused request does not lengthen the wait', async () => {
    const limiter = openLimiter(1)
    await limiter.take('192.0.2.1')
    for (let pause = 0; pause < 9; pause++) {
      limiter.advance(100)
      expect(await limiter.take('192.0.2.1')).toMatchObject({ accepted: false })
    }
    limiter.advance(100)
    expect(await limiter.take('192.0.2.1')).toMatchObject({ accepted: true })
  })

  test('counts each client on its own, and an address apart from all of them', async () => {
    const limiter = openLimiter(1)
    await limiter.take('192.0.2.1')
    expect(await limiter.take('192.0.2.2')).toMatchObject({ accepted: true })
    expect(await limiter.take('ada@example.com')).toMatchObject({ accepted: true })
    expect(await limiter.take('192.0.2.1')).toMatchObject({ accepted: false })
  })

  test('counts all who did not come over the network as one', async () => {
    const limiter = slidingWindowLimiter({
      limit: 1,
      windowMs: WINDOW_MS,
      monotonicMs: () => 0,
      seeds: [1, 2],
    })
    const subject = { kind: 'client', address: null } as const
    expect(await limiter.take(subject)).toMatchObject({ accepted: true })
    expect(await limiter.take(subject)).toMatchObject({ accepted: false })
  })

  test('parallel requests cannot exceed the limit', async () => {
    const limiter = openLimiter(5)
    const taken = await Promise.all(Array.from({ length: 200 }, () => limiter.take('192.0.2.1')))
    expect(taken.filter(({ accepted }) => accepted)).toHaveLength(5)
  })

  test('never accepts more because its time is set back', async () => {
    const limiter = openLimiter(1)
    await limiter.take('192.0.2.1')
    limiter.advance(-5000)
    expect(await limiter.take('192.0.2.1')).toMatchObject({ accepted: false })
    expect(await limiter.take('192.0.2.2')).toMatchObject({ accepted: true })
    limiter.advance(5999)
    expect(await limiter.take('192.0.2.1')).toMatchObject({ accepted: false })
    limiter.advance(1)
    expect(await limiter.take('192.0.2.1')).toMatchObject({ accepted: true })
  })

  test.each([257, 1000, 4000])(
    'with a budget of %d never accepts more in a window, and is late by 1/256 of it at most',
    async (limit) => {
      const limiter = openLimiter(limit)
      const accepted: number[] = []
      for (let request = 0; request < 3 * limit; request++) {
        if ((await limiter.take('192.0.2.1')).accepted) accepted.push(limiter.now())
        limiter.advance(WINDOW_MS / limit / 1.25)
      }
      for (const [index, at] of accepted.entries()) {
        const before = accepted[index - limit]
        if (before === undefined) continue
        expect(at - before).toBeGreaterThan(WINDOW_MS - 1e-6)
        expect(at - before).toBeLessThan(WINDOW_MS * (1 + 1 / 256) + 2 * (WINDOW_MS / limit))
      }
    },
  )

  test('keeps nothing of those that have gone idle', async () => {
    const limiter = openLimiter(1, { placesMax: 16, addressesMax: 3 })
    for (let round = 0; round < 100; round++) {
      expect(await limiter.take(`${round}.0.0.1`)).toMatchObject({ accepted: true })
      expect(await limiter.take(`${round}@example.com`)).toMatchObject({ accepted: true })
      expect(await limiter.take(`2001:${round}::1`)).toMatchObject({ accepted: true })
      limiter.advance(WINDOW_MS)
    }
  })

  test('lets further addresses share 64 budgets where it can count no more of them', async () => {
    const limiter = openLimiter(1, { addressesMax: 3 })
    const taken = []
    for (let index = 0; index < 100; index++) taken.push(await limiter.take(`${index}@example.com`))
    expect(taken.filter(({ accepted }) => accepted)).toHaveLength(2 + 64)
    expect(await limiter.take('0@example.com')).toMatchObject({ accepted: false, resetMs: 1000 })
    expect(await limiter.take('192.0.2.1')).toMatchObject({ accepted: true })
    limiter.advance(WINDOW_MS)
    expect(await limiter.take('99@example.com')).toMatchObject({ accepted: true, remaining: 0 })
  })
})
