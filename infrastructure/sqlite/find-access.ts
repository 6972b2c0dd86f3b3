import type { AccessFacts } from '../../application/access-repository.ts'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH } from '../../domain/log-out.ts'
import type { GrantFacts, PaymentFacts } from '../../domain/premium-grant.ts'
import type { Queries } from './database.ts'

/** The same one for all, as nearly all have none. */
const NONE: readonly never[] = []
const NO_REVERSALS: ReadonlyMap<number, readonly ReversalRow[]> = new Map()

type Row =
  | { readonly kind: 'epoch'; readonly epoch: Epoch }
  | { readonly kind: 'log_out'; readonly epoch: Epoch }
  | { readonly kind: 'given'; readonly revokedAt: number | null }
  | {
      readonly kind: 'bought'
      readonly purchase: number
      readonly amount: number
      readonly revokedAt: number | null
    }
  | ReversalRow

type ReversalRow =
  | ({ readonly kind: 'refund'; readonly purchase: number } & PaymentFacts['refunds'][number])
  | ({ readonly kind: 'dispute'; readonly purchase: number } & PaymentFacts['disputes'][number])

/** One statement, which sees one moment by itself: without a transaction around it, it costs half as much. */
export function prepareFindAccess(
  queries: Queries,
): (email: Email, digests: readonly ErasedEmailDigest[]) => AccessFacts {
  const prepareFor = (digests: number) =>
    queries.$client.prepare<Row, [Email, ...ErasedEmailDigest[]]>(selectFacts(digests))
  // One digest for each key that counts.
  const statements = new Map([1, 2].map((digests) => [digests, prepareFor(digests)]))
  return (email, digests) =>
    toFacts((statements.get(digests.length) ?? prepareFor(digests.length)).all(email, ...digests))
}

/**
 * The purchases are found once, for themselves and for their reversals. Joined without that, SQLite would compile the
 * statement anew for each address, which takes longer than all the reading. So would a state that is bound; the plus
 * prevents it from using the index of states, which leads to the paid purchases of all addresses.
 */
function selectFacts(digests: number): string {
  const traces = Array.from({ length: digests }, () => '?').join(', ')
  return `
    WITH bought AS MATERIALIZED (
      SELECT rowid AS purchase, amount_paid, revoked_at, payment_intent_id AS payment FROM purchases
      WHERE email = ?1 AND +state = 'paid'
    )
    SELECT 'epoch' AS kind, epoch, NULL AS purchase, NULL AS amount, NULL AS state, NULL AS revokedAt
      FROM log_out_epoch
    UNION ALL SELECT 'log_out', epoch, NULL, NULL, NULL, NULL FROM log_outs WHERE email = ?1
    UNION ALL SELECT 'log_out', epoch, NULL, NULL, NULL, NULL FROM common_log_out
    UNION ALL SELECT 'log_out', epoch, NULL, NULL, NULL, NULL FROM erased_log_outs
      WHERE trace IN (${traces})
    UNION ALL SELECT 'given', NULL, NULL, NULL, NULL, revoked_at FROM operator_grants WHERE email = ?1
    UNION ALL SELECT 'bought', NULL, purchase, amount_paid, NULL, revoked_at FROM bought
    UNION ALL SELECT 'refund', NULL, purchase, amount, state, NULL
      FROM bought CROSS JOIN refunds ON payment_intent_id = payment
    UNION ALL SELECT 'dispute', NULL, purchase, NULL, state, NULL
      FROM bought CROSS JOIN disputes ON payment_intent_id = payment`
}

function toFacts(rows: readonly Row[]): AccessFacts {
  const grants: GrantFacts[] = []
  const reversals = findReversals(rows)
  let loggedOutIn: Epoch | null = null
  let epoch = FIRST_EPOCH
  for (const row of rows) {
    if (row.kind === 'epoch') epoch = row.epoch
    if (row.kind === 'log_out' && row.epoch > (loggedOutIn ?? -1)) loggedOutIn = row.epoch
    if (row.kind === 'given') grants.push({ payment: null, revokedAt: momentOf(row.revokedAt) })
    if (row.kind === 'bought') {
      const payment = paymentOf(row.amount, reversals.get(row.purchase))
      grants.push({ payment, revokedAt: momentOf(row.revokedAt) })
    }
  }
  return { grants, loggedOutIn, epoch }
}

/** By purchase. Nearly always there are none. */
function findReversals(rows: readonly Row[]): ReadonlyMap<number, readonly ReversalRow[]> {
  if (!rows.some(isReversal)) return NO_REVERSALS
  return Map.groupBy(rows.filter(isReversal), ({ purchase }) => purchase)
}

function isReversal(row: Row): row is ReversalRow {
  return row.kind === 'refund' || row.kind === 'dispute'
}

function paymentOf(
  amountPaid: number,
  reversals: readonly ReversalRow[] | undefined,
): PaymentFacts {
  if (!reversals) return { amountPaid, refunds: NONE, disputes: NONE }
  return {
    amountPaid,
    refunds: reversals
      .filter((row) => row.kind === 'refund')
      .map(({ amount, state }) => ({ amount, state })),
    disputes: reversals.filter((row) => row.kind === 'dispute').map(({ state }) => ({ state })),
  }
}

function momentOf(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds)
}
