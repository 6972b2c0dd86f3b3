import { latestMoment } from './clock-skew.ts'
import { DAY_MS, HOUR_MS } from './duration.ts'
import { holderLifetimeMs } from './token.ts'

const QUARTER_MS = 90 * DAY_MS

/**
 * How long refunds and disputes are kept of a payment of which no purchase is known: as long as the purchase may still
 * become known. One that is restored later reads them from the provider again.
 */
export const FOREIGN_REVERSALS_KEPT_MS = 48 * HOUR_MS

/**
 * The kinds of records that the service deletes once they are of no use, and how long each of them is kept, in
 * milliseconds: codes and verifications after they have expired, unpaid purchases after their page has closed, messages
 * after they have ended, and the rest after it happened. Null where `pruneUpTo` says more: a mail of the service stays
 * as long as a limit counts it, and what says that it was made after now, because the clock was ahead, must not count
 * when that hour comes.
 */
const KEPT_MS = {
  codes: DAY_MS,
  // Of an address of which nothing else is known. Anybody can make such rows.
  unproven_codes: 0,
  // No limit looks back further.
  code_mails: DAY_MS,
  future_code_mails: null,
  wrong_tries: DAY_MS,
  future_wrong_tries: null,
  service_mails: null,
  verifications: DAY_MS,
  log_outs: QUARTER_MS,
  messages: QUARTER_MS,
  unpaid_purchases: QUARTER_MS,
  foreign_reversals: FOREIGN_REVERSALS_KEPT_MS,
  sandbox_sessions: QUARTER_MS,
  // Three years, of which one may be a leap year.
  audit_entries: 1096 * DAY_MS,
} as const
export type PrunedKind = keyof typeof KEPT_MS
export const PRUNED_KINDS = Object.keys(KEPT_MS) as readonly PrunedKind[]

/**
 * The moment up to which a kind is pruned, and for what was made in the future the moment from which. A log-out stays
 * for as long as a token from before it may be of any use.
 */
export function pruneUpTo(
  kind: PrunedKind,
  {
    tokenLifetimeMs,
    mailWindowMs,
    now,
  }: { tokenLifetimeMs: number; mailWindowMs: number; now: Date },
): Date {
  const before = (ms: number) => new Date(now.getTime() - ms)
  switch (kind) {
    case 'future_code_mails':
    case 'future_wrong_tries':
      return latestMoment(now)
    case 'service_mails':
      return before(mailWindowMs)
    case 'log_outs':
      return before(Math.max(KEPT_MS[kind], holderLifetimeMs(tokenLifetimeMs)))
    default:
      return before(KEPT_MS[kind])
  }
}
