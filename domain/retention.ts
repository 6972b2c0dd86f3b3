import { DAY_MS, HOUR_MS } from './duration.ts'
import { holderLifetimeMs } from './token.ts'

/** The kinds of records that the service deletes once they are of no use. */
export const PRUNED_KINDS = [
  'codes',
  'code_mails',
  'wrong_tries',
  'verifications',
  'log_outs',
  'messages',
  'unpaid_purchases',
  'foreign_reversals',
  'sandbox_sessions',
  'audit_entries',
] as const
export type PrunedKind = (typeof PRUNED_KINDS)[number]

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
const KEPT_MS: Readonly<Record<PrunedKind, number>> = {
  codes: DAY_MS,
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

/** The moment up to which a kind is pruned. A log-out stays for as long as a token from before it may be of any use. */
export function pruneUpTo(
  kind: PrunedKind,
  { tokenLifetimeMs, now }: { tokenLifetimeMs: number; now: Date },
): Date {
  const neededMs = kind === 'log_outs' ? holderLifetimeMs(tokenLifetimeMs) : 0
  return new Date(now.getTime() - Math.max(KEPT_MS[kind], neededMs))
}
