import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../domain/duration.ts'
import { PRUNED_KINDS, pruneUpTo } from '../../domain/retention.ts'
import { NOON } from '../support/fakes.ts'

const MONTH_MS = 30 * DAY_MS

function daysKept(tokenLifetimeMs: number) {
  return Object.fromEntries(
    PRUNED_KINDS.map((kind) => {
      const upTo = pruneUpTo(kind, { tokenLifetimeMs, mailWindowMs: 2 * DAY_MS, now: NOON })
      return [kind, (NOON.getTime() - upTo.getTime()) / DAY_MS]
    }),
  )
}

describe('what is of no use any more', () => {
  test('is kept for as long as docs/personal-data.md says', () => {
    expect(daysKept(MONTH_MS)).toEqual({
      codes: 1,
      unproven_codes: 0,
      code_mails: 1,
      // What was made more than a minute ahead of now.
      future_code_mails: -1 / (24 * 60),
      wrong_tries: 1,
      future_wrong_tries: -1 / (24 * 60),
      service_mails: 2,
      verifications: 1,
      log_outs: 90,
      messages: 90,
      unpaid_purchases: 90,
      foreign_reversals: 2,
      sandbox_sessions: 90,
      audit_entries: 1096,
    })
  })

  test('is a log-out only once no token from before it can live', () => {
    expect(daysKept(365 * DAY_MS)).toEqual({ ...daysKept(MONTH_MS), log_outs: 365 })
  })
})
