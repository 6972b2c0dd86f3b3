import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import { isLoggedOut, issueTime, nextTokensValidAfter } from '../../domain/log-out.ts'
import { NOON } from '../support/fakes.ts'

const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)

describe('logging out everywhere', () => {
  test('no token is void before the first log-out', () => {
    expect(issueTime(null, NOON)).toEqual(NOON)
    expect(isLoggedOut(new Date(0), null)).toBe(false)
  })

  test('ends a token issued in the same instant', () => {
    const token = issueTime(null, NOON)
    expect(isLoggedOut(token, nextTokensValidAfter(null, NOON))).toBe(true)
  })

  test('does not end a token issued afterwards in the same instant', () => {
    const line = nextTokensValidAfter(null, NOON)
    expect(isLoggedOut(issueTime(line, NOON), line)).toBe(false)
  })

  test('a token issued a whole day later counts from that day', () => {
    expect(issueTime(nextTokensValidAfter(null, NOON), at(DAY_MS))).toEqual(at(DAY_MS))
  })

  test('the moment never moves back, even when the clock does', () => {
    const line = nextTokensValidAfter(null, NOON)
    expect(nextTokensValidAfter(line, at(-MINUTE_MS)).getTime()).toBeGreaterThan(line.getTime())
  })

  test('a clock set back does not void the tokens issued after a log-out', () => {
    const line = nextTokensValidAfter(null, NOON)
    const token = issueTime(line, at(-MINUTE_MS))
    expect(isLoggedOut(token, line)).toBe(false)
    expect(isLoggedOut(token, nextTokensValidAfter(line, at(-MINUTE_MS)))).toBe(true)
  })

  test('after a first log-out, every log-out ends every token before it and none after it, whatever the clock does', () => {
    const steps = fc.array(
      fc.record({ logsOut: fc.boolean(), movedMs: fc.integer({ min: -3, max: 3 }) }),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(steps, (history) => {
        let now = NOON.getTime()
        let line = nextTokensValidAfter(null, NOON)
        let alive: Date[] = []
        let ended: Date[] = []
        for (const { logsOut, movedMs } of history) {
          // A clock set back behind the previous log-out, but not behind a token: that one needs more than the moment.
          now = Math.max(
            now + movedMs,
            ...alive.map((token) => token.getTime()),
            line.getTime() - 5,
          )
          if (logsOut) {
            line = nextTokensValidAfter(line, new Date(now))
            ended = [...ended, ...alive]
            alive = []
          } else {
            alive = [...alive, issueTime(line, new Date(now))]
          }
          expect(alive.filter((token) => isLoggedOut(token, line))).toEqual([])
          expect(ended.filter((token) => !isLoggedOut(token, line))).toEqual([])
        }
      }),
    )
  })
})
