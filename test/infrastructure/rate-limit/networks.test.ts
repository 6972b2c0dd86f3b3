import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RATE_LIMIT_WIDTHS } from '../../../application/telemetry.ts'
import { slidingWindowLimiter } from '../../../infrastructure/rate-limit/sliding-window-limiter.ts'
import { CLIENT_ADDRESSES, rateLimitModel } from '../../support/rate-limit-model.ts'

const WINDOW_MS = 1000

function openLimiter(limit: number, placesMax: number) {
  let now = 0
  const limiter = slidingWindowLimiter({
    limit,
    windowMs: WINDOW_MS,
    monotonicMs: () => now,
    seeds: [1, 2],
    placesMax,
  })
  return {
    take: (address: string) => limiter.take({ kind: 'client', address }),
    advance(milliseconds: number) {
      now += milliseconds
    },
    now: () => now,
  }
}

/** How many of as many requests are accepted. */
async function countAccepted(
  { take }: ReturnType<typeof openLimiter>,
  addresses: readonly string[],
): Promise<number> {
  let accepted = 0
  for (const address of addresses) if ((await take(address)).accepted) accepted++
  return accepted
}

const STEPS = fc.array(
  fc.record({ address: CLIENT_ADDRESSES, pauseMs: fc.constantFrom(0, 0, 1, 20, 150, 700) }),
  { maxLength: 200 },
)

describe('clients and their networks', () => {
  test.each([8, 24, 64, 100_000])(
    'are counted as the rules say, in a table of %d places',
    async (placesMax) => {
      const seen = new Set<string>()
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 3 }), STEPS, async (limit, steps) => {
          const limiter = openLimiter(limit, placesMax)
          const model = rateLimitModel({ limit, windowMs: WINDOW_MS, placesMax })
          for (const { address, pauseMs } of steps) {
            limiter.advance(pauseMs)
            const verdict = await limiter.take(address)
            seen.add(verdict.width)
            expect(verdict).toEqual(model.take(address, limiter.now()))
          }
        }),
      )
      if (placesMax === 8) {
        expect([...seen].toSorted()).toEqual(
          RATE_LIMIT_WIDTHS.filter((width) => width !== 'address').toSorted(),
        )
      }
    },
  )

  test('a refused request changes nothing that comes after it', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, fc.constantFrom(8, 24, 100_000), async (steps, placesMax) => {
        const asked = openLimiter(1, placesMax)
        const spared = openLimiter(1, placesMax)
        for (const { address, pauseMs } of steps) {
          asked.advance(pauseMs)
          spared.advance(pauseMs)
          const verdict = await asked.take(address)
          if (!verdict.accepted) expect(await asked.take(address)).toEqual(verdict)
          else expect(await spared.take(address)).toEqual(verdict)
        }
      }),
    )
  })

  test('of one /56 have 4 budgets together, and of one /48 16', async () => {
    const limiter = openLimiter(2, 1000)
    const networks = (count: number, spell: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => spell(index))
    const sixtyFours = networks(100, (index) => `2001:db8:1:10${hex(index).padStart(2, '0')}::1`)
    expect(await countAccepted(limiter, sixtyFours)).toBe(8)
    expect(await limiter.take('2001:db8:1:10ff::1')).toMatchObject({ width: '/56', resetMs: 1000 })
    const fiftySixes = networks(100, (index) => `2001:db8:1:${hex(index)}00::1`)
    expect(await countAccepted(limiter, fiftySixes)).toBe(24)
    expect(await limiter.take('2001:db8:1:ff00::1')).toMatchObject({
      accepted: false,
      width: '/48',
    })
    expect(await limiter.take('2001:db8:2::1')).toMatchObject({ accepted: true, width: 'client' })
  })

  test('learn the smallest remainder that applies, with its reset', async () => {
    const limiter = openLimiter(2, 1000)
    for (let index = 0; index < 7; index++) {
      await limiter.take(`2001:db8:1:100${index}::1`)
      limiter.advance(100)
    }
    expect(await limiter.take('2001:db8:1:1000::1')).toEqual({
      accepted: true,
      remaining: 0,
      resetMs: 300,
      width: 'client',
    })
    expect(await limiter.take('2001:db8:1:10aa::1')).toEqual({
      accepted: false,
      remaining: 0,
      resetMs: 300,
      width: '/56',
    })
  })

  test('of one /16 or /32 take no more than an eighth of the table from the others', async () => {
    const limiter = openLimiter(1, 800)
    const flood = Array.from({ length: 60_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
    const accepted = await countAccepted(limiter, flood)
    expect(accepted).toBe(50 + 25 * 4 + 16)
    const wide = Array.from({ length: 60_000 }, (_, index) => `2001:db8:${hex(index)}::1`)
    expect(await countAccepted(limiter, wide)).toBeLessThan(50 + 25 + 64)
    expect(await limiter.take('10.1.0.1')).toMatchObject({ accepted: true, width: 'client' })
    expect(await limiter.take('2001:db9::1')).toMatchObject({ accepted: true, width: 'client' })
  })

  test('that are counted keep their place while the table fills', async () => {
    const limiter = openLimiter(2, 64)
    await limiter.take('192.0.2.1')
    await limiter.take('2001:db8::1')
    for (let index = 0; index < 10_000; index++) {
      await limiter.take(`192.0.2.${index % 256}`)
      await limiter.take(`${index % 200}.${index % 7}.0.1`)
      await limiter.take(`2001:db8::${hex(index)}:0:0:0:1`)
    }
    expect(await limiter.take('192.0.2.1')).toMatchObject({ accepted: false, width: 'client' })
    limiter.advance(WINDOW_MS)
    expect(await limiter.take('192.0.2.1')).toMatchObject({ remaining: 1, width: 'client' })
  })

  test('that a network has counted for want of places do not get a second budget with a place', async () => {
    const limiter = openLimiter(1, 32)
    const others = Array.from({ length: 16 }, (_, index) => `10.${index}.0.1`)
    expect(await countAccepted(limiter, others)).toBe(16)
    limiter.advance(500)
    const clients = Array.from({ length: 5 }, (_, index) => `192.0.2.${index}`)
    expect(await countAccepted(limiter, clients)).toBe(4)
    limiter.advance(500)
    expect(await limiter.take('192.0.2.0')).toEqual({
      accepted: false,
      remaining: 0,
      resetMs: 500,
      width: '/24',
    })
    expect(await limiter.take('198.51.100.1')).toMatchObject({ accepted: true, width: 'client' })
    limiter.advance(500)
    expect(await limiter.take('192.0.2.0')).toMatchObject({ accepted: true, width: 'client' })
  })

  test('of further networks are refused once every place is taken, until one is free', async () => {
    const limiter = openLimiter(1, 16)
    for (let index = 0; index < 200; index++) {
      await limiter.take(`${index}.0.0.1`)
      if (index === 0) limiter.advance(400)
    }
    expect(await limiter.take('203.0.113.1')).toEqual({
      accepted: false,
      remaining: 0,
      resetMs: 600,
      width: '/16',
    })
    limiter.advance(600)
    expect(await limiter.take('203.0.113.1')).toMatchObject({ accepted: true })
  })
})

function hex(number: number): string {
  return number.toString(16)
}
