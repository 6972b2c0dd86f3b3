import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MINUTE_MS } from '../../domain/duration.ts'
import { type Epoch, FIRST_EPOCH, isLoggedOut, nextEpoch } from '../../domain/log-out.ts'
import { NOON } from '../support/fakes.ts'

const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)

describe('logging out everywhere', () => {
  test('has happened to no token before the first log-out', () => {
    expect(isLoggedOut(FIRST_EPOCH, null)).toBe(false)
  })

  test('ends a token of the same instant, and none that is handed out afterwards', () => {
    const epoch = nextEpoch(FIRST_EPOCH, NOON)
    expect(isLoggedOut(FIRST_EPOCH, epoch)).toBe(true)
    expect(isLoggedOut(epoch, epoch)).toBe(false)
  })

  test('begins an epoch that tells its time, where the clock is right', () => {
    expect(nextEpoch(FIRST_EPOCH, NOON)).toBe((NOON.getTime() + 1) as Epoch)
  })

  test('begins a later epoch each time, even when the clock is set back', () => {
    const epoch = nextEpoch(FIRST_EPOCH, NOON)
    expect(nextEpoch(epoch, NOON)).toBe((epoch + 1) as Epoch)
    expect(nextEpoch(epoch, at(-MINUTE_MS))).toBe((epoch + 1) as Epoch)
  })

  test('ends every token of its address from before, no other, and none from after, whatever the clock does', () => {
    const steps = fc.array(
      fc.record({
        logsOut: fc.boolean(),
        who: fc.nat({ max: 2 }),
        clock: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -1e12, max: 1e12 })),
      }),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(steps, (history) => {
        let epoch = FIRST_EPOCH
        const loggedOutIn = new Map<number, Epoch>()
        let tokens: { who: number; madeIn: Epoch; isEnded: boolean }[] = []
        for (const { logsOut, who, clock } of history) {
          if (logsOut) {
            epoch = nextEpoch(epoch, at(clock))
            loggedOutIn.set(who, epoch)
            tokens = tokens.map((one) => ({ ...one, isEnded: one.isEnded || one.who === who }))
          } else tokens = [...tokens, { who, madeIn: epoch, isEnded: false }]
          for (const token of tokens) {
            const known = loggedOutIn.get(token.who) ?? null
            expect(isLoggedOut(token.madeIn, known)).toBe(token.isEnded)
          }
        }
      }),
    )
  })
})
