import { latestMoment } from './clock-skew.ts'
import { DAY_MS, HOUR_MS } from './duration.ts'
import { holderLifetimeMs } from './token.ts'

/** The kinds of records that the service deletes once they are of no use. */
export const PRUNED_KINDS = [
  'codes',
  'unproven_codes',
  'code_mails',
  'future_code_mails',
  'wrong_tries',
  'future_wrong_tries',
  'service_mails',
  'verifications',
  'log_outs',
  'messages',
  'unpaid_purchases',
  'foreign_reversals',
  'sandbox_sessions',
  'audit_entries',
] as const
export type PrunedKind = (typeof PRUNED_KINDS)[number]

/** What says that it was made after now, because the clock was ahead: it must not count when that hour comes. */
type FutureKind = 'future_code_mails' | 'future_wrong_tries'

const QUARTER_MS = 90 * DAY_MS

/**
 * How long refunds and disputes are kept of a payment of which no purchase is known: as long as the purchase may still
 * become known. One that is restored later reads them from the provider again.
 */
export const FOREIGN_REVERSALS_KEPT_MS = 48 * HOUR_MS

/**
 * How long each of them is kept, in milliseconds: codes and verifications after they have expired, unpaid purchases
 * after their page has closed, messages after they have ended, and the rest after it happened.
 */
const KEPT_MS: Readonly<Record<Exclude<PrunedKind, FutureKind | 'service_mails'>, number>> = {
  codes: DAY_MS,
  // Of an address of which nothing else is known. Anybody can make such rows.
  unproven_codes: 0,
  // No limit looks back further.
  code_mails: DAY_MS,
  wrong_tries: DAY_MS,
  verifications: DAY_MS,
  log_outs: QUARTER_MS,
  messages: QUARTER_MS,
  unpaid_purchases: QUARTER_MS,
  foreign_reversals: FOREIGN_REVERSALS_KEPT_MS,
  sandbox_sessions: QUARTER_MS,
  // Three years, of which one may be a leap year.
  audit_entries: 1096 * DAY_MS,
}

/**
 * The moment up to which a kind is pruned, and for what was made in the future the moment from which. A log-out stays
 * for as long as a token from before it may be of any use, and a mail of the service as long as a limit counts it.
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
