import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Email } from '../../domain/email.ts'
import { slidingWindowLimiter } from '../../infrastructure/sliding-window-limiter.ts'

const WINDOW_MS = 1000

function openLimiter(limit: number, clientsMax?: number) {
  let now = 0
  const limiter = slidingWindowLimiter({
    limit,
    windowMs: WINDOW_MS,
    monotonicMs: () => now,
    ...(clientsMax === undefined ? {} : { clientsMax }),
  })
  return {
    take: (client: string) => limiter.take({ kind: 'address', email: client as Email }),
    advance(milliseconds: number) {
      now += milliseconds
    },
    now: () => now,
  }
}

/** The accepted requests, kept for ever and counted again each time. */
function naiveLimiter(limit: number) {
  const accepted: { client: string; at: number }[] = []
  return {
    accepted,
    take(client: string, now: number): boolean {
      const counted = accepted.filter((hit) => hit.client === client && hit.at > now - WINDOW_MS)
      const isAccepted = counted.length < limit
      if (isAccepted) accepted.push({ client, at: now })
      return isAccepted
    },
  }
}

const CLIENTS = Array.from({ length: 8 }, (_, index) => `192.0.2.${index}`)
const STEPS = fc.array(
  fc.record({ client: fc.constantFrom(...CLIENTS), pauseMs: fc.integer({ min: 0, max: 400 }) }),
  { maxLength: 120 },
)

describe('slidingWindowLimiter', () => {
  test('decides as a naive count over everything that was accepted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), STEPS, async (limit, steps) => {
        const limiter = openLimiter(limit)
        const model = naiveLimiter(limit)
        for (const { client, pauseMs } of steps) {
          limiter.advance(pauseMs)
          const { accepted } = await limiter.take(client)
          expect(accepted).toBe(model.take(client, limiter.now()))
        }
      }),
    )
  })

  test('accepts no more than the limit in any window, however few clients it can remember', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 4 }),
        STEPS,
        async (limit, clientsMax, steps) => {
          const limiter = openLimiter(limit, clientsMax)
          const model = naiveLimiter(limit)
          for (const { client, pauseMs } of steps) {
            limiter.advance(pauseMs)
            const { accepted } = await limiter.take(client)
            if (accepted) expect(model.take(client, limiter.now())).toBe(true)
          }
        },
      ),
    )
  })

  test('says how many places are left and when the next one becomes free', async () => {
    const limiter = openLimiter(2)
    expect(await limiter.take('a')).toEqual({ accepted: true, remaining: 1, resetMs: 1000 })
    limiter.advance(300)
    expect(await limiter.take('a')).toEqual({ accepted: true, remaining: 0, resetMs: 700 })
    limiter.advance(699)
    expect(await limiter.take('a')).toEqual({ accepted: false, remaining: 0, resetMs: 1 })
    limiter.advance(1)
    expect(await limiter.take('a')).toEqual({ accepted: true, remaining: 0, resetMs: 300 })
  })

  test('a refused request does not lengthen the wait', async () => {
    const limiter = openLimiter(1)
    await limiter.take('a')
    for (let pause = 0; pause < 9; pause++) {
      limiter.advance(100)
      expect(await limiter.take('a')).toMatchObject({ accepted: false })
    }
    limiter.advance(100)
    expect(await limiter.take('a')).toMatchObject({ accepted: true })
  })

  test('counts each client on its own', async () => {
    const limiter = openLimiter(1)
    await limiter.take('a')
    expect(await limiter.take('b')).toMatchObject({ accepted: true })
    expect(await limiter.take('a')).toMatchObject({ accepted: false })
  })

  test('parallel requests cannot exceed the limit', async () => {
    const limiter = openLimiter(5)
    const places = await Promise.all(Array.from({ length: 200 }, () => limiter.take('a')))
    expect(places.filter(({ accepted }) => accepted)).toHaveLength(5)
  })

  test('a flood of new clients does not make it forget a busy one', async () => {
    const limiter = openLimiter(1, 16)
    await limiter.take('busy')
    for (let client = 0; client < 10_000; client++) await limiter.take(`flood ${client}`)
    expect(await limiter.take('busy')).toMatchObject({ accepted: false })
  })

  test('under a flood new clients share what is left, and everyone is served as before once it is over', async () => {
    const limiter = openLimiter(2, 16)
    let accepted = 0
    for (let client = 0; client < 10_000; client++) {
      if ((await limiter.take(`flood ${client}`)).accepted) accepted++
    }
    expect(accepted).toBe(16 + 2)
    expect(await limiter.take('late')).toMatchObject({ accepted: false })

    limiter.advance(WINDOW_MS)
    for (let client = 0; client < 16; client++) {
      expect(await limiter.take(`calm ${client}`)).toMatchObject({ accepted: true, remaining: 1 })
    }
  })

  test('keeps nothing of clients that have gone idle', async () => {
    const limiter = openLimiter(1, 4)
    for (let round = 0; round < 100; round++) {
      for (let client = 0; client < 4; client++) {
        expect(await limiter.take(`${round} ${client}`)).toMatchObject({ accepted: true })
      }
      limiter.advance(WINDOW_MS)
    }
  })
})
