import type { Retention } from '../../application/store.ts'
import type { PrunedKind } from '../../domain/retention.ts'
import type { PostgresDatabase } from './connection/database.ts'
import { ofPayment } from './connection/locks.ts'

const OTP_KEY = 'email, sender, role'
const COUNTED_KEY = 'email, sender, position'

// In conditions of rows, (SELECT 1 ... LIMIT 1) IS NULL stands for NOT EXISTS: there PostgreSQL may read the whole
// table that is looked into, before it looks at the first row.

/** Whether the address of a code was never proven, for all that is stored: nor has it premium, nor bought anything. */
const IS_UNPROVEN = ['verifications', 'purchases', 'operator_grants']
  .map((table) => `(SELECT 1 FROM ${table} WHERE ${table}.email = otps.email LIMIT 1) IS NULL`)
  .join(' AND ')

type Batch = { readonly upTo: Date; readonly limit: number }
type Prune = (database: PostgresDatabase, batch: Batch) => Promise<number>

export function postgresRetention(database: PostgresDatabase): Retention {
  return { prune: (kind, batch) => PRUNES[kind](database, batch) }
}

const PRUNES: Readonly<Record<PrunedKind, Prune>> = {
  codes: deletion('otps', OTP_KEY, 'expires_at'),
  unproven_codes: deletion('otps', OTP_KEY, 'expires_at', { only: IS_UNPROVEN }),
  code_mails: deletion('otp_mails', COUNTED_KEY, 'sent_at'),
  future_code_mails: deletion('otp_mails', COUNTED_KEY, 'sent_at', { isPast: false }),
  wrong_tries: deletion('otp_wrong_tries', COUNTED_KEY, 'tried_at'),
  future_wrong_tries: deletion('otp_wrong_tries', COUNTED_KEY, 'tried_at', { isPast: false }),
  service_mails: deletion('service_mails', 'id', 'sent_at'),
  verifications: deletion('verifications', 'email', 'expires_at'),
  log_outs: pruneLogOuts,
  messages: deletion('outbox', 'key', 'ended_at', { only: "state IN ('done', 'dropped')" }),
  unpaid_purchases: deletion('purchases', 'id', 'expires_at', {
    // Were the row of an erased address gone, a late payment would restore it together with the address.
    only: "state = 'closed' AND email NOT LIKE 'erased-%@alibi.invalid'",
  }),
  foreign_reversals: pruneForeignReversals,
  sandbox_sessions: deletion('sandbox_sessions', 'session_id', 'created_at'),
  audit_entries: deletion('audit_entries', 'id', 'at'),
}

// Why: docs/decisions.md#a-statement-on-postgresql-has-one-way-into-its-table
/**
 * Rows of a table, identified by its key, that have been of no use since the moment $1. Those that another transaction
 * is changing stay for the next time.
 */
function deletion(
  table: string,
  key: string,
  age: string,
  { isPast = true, only = 'true' } = {},
): Prune {
  return async ({ query }, { upTo, limit }) => {
    const [row] = await query<{ count: number }>(
      `WITH old AS MATERIALIZED (
        SELECT ${key} FROM ${table} WHERE ${age} ${isPast ? '<=' : '>'} $1 AND ${only}
        ORDER BY ${age} LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ), deleted AS (
        DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM old) RETURNING 1
      ) SELECT count(*)::integer AS count FROM deleted`,
      [upTo],
    )
    return row?.count ?? 0
  }
}

/**
 * An operator who sets TOKEN_TTL down and, months later, up again would revive tokens whose log-out is deleted.
 * Therefore the tokens of all addresses are void that are from before the latest deleted log-out. An epoch is at least
 * the time of its log-out, so that none is deleted too early. Where the clock was ahead at one, it and those after it
 * are kept for that much longer.
 */
async function pruneLogOuts({ query }: PostgresDatabase, { upTo, limit }: Batch): Promise<number> {
  const [row] = await query<{ count: number }>(
    `WITH old AS MATERIALIZED (
      SELECT email FROM log_outs WHERE epoch <= $1
        ORDER BY epoch LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM log_outs WHERE email IN (SELECT email FROM old) RETURNING epoch
    ), old_of_erased AS MATERIALIZED (
      SELECT trace FROM erased_log_outs WHERE epoch <= $1
        ORDER BY epoch LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), deleted_of_erased AS (
      DELETE FROM erased_log_outs
        WHERE trace IN (
          SELECT trace FROM old_of_erased
            LIMIT greatest(${limit} - (SELECT count(*) FROM deleted), 0)
        )
        RETURNING epoch
    ), latest AS (
      SELECT max(epoch) AS epoch, count(*)::integer AS count
        FROM (SELECT * FROM deleted UNION ALL SELECT * FROM deleted_of_erased) AS both_kinds
    ), raised AS (
      INSERT INTO common_log_out (id, epoch) SELECT 1, epoch FROM latest WHERE epoch IS NOT NULL
        ON CONFLICT (id) DO UPDATE SET epoch = greatest(common_log_out.epoch, excluded.epoch)
    )
    SELECT count FROM latest`,
    [upTo.getTime()],
  )
  return row?.count ?? 0
}

/**
 * Of a payment whose purchase is known by now only the note is deleted. Nothing is deleted while an older purchase is
 * open: the provider has been out of reach for so long, and the payment may turn out to be its own.
 */
async function pruneForeignReversals(
  database: PostgresDatabase,
  { upTo, limit }: Batch,
): Promise<number> {
  const payments = await findForeign(database, { upTo, limit })
  if (payments.length === 0) return 0

  return database.write(payments.map(ofPayment), async ({ query, store }) => {
    const rows = await query<{ id: string }>(
      `DELETE FROM foreign_payments WHERE payment_intent_id = ANY($1) AND stored_at <= $2
        AND ${CLAIM} IS NULL
        AND ((SELECT min(created_at) FROM purchases WHERE state = 'open') <= $2) IS NOT TRUE
        RETURNING payment_intent_id AS id`,
      [payments, upTo],
    )
    const foreign = [rows.map(({ id }) => id)]
    store(query('DELETE FROM refunds WHERE payment_intent_id = ANY($1)', foreign))
    store(query('DELETE FROM disputes WHERE payment_intent_id = ANY($1)', foreign))
    return rows.length
  })
}

const CLAIM = `(
  SELECT 1 FROM purchases WHERE purchases.payment_intent_id = foreign_payments.payment_intent_id
  LIMIT 1
)`

/** The oldest payments whose purchase is not known. The notes of those that are known by now go. */
async function findForeign(
  { query }: PostgresDatabase,
  { upTo, limit }: Batch,
): Promise<readonly string[]> {
  for (;;) {
    const old = await query<{ id: string; isClaimed: boolean }>(
      `SELECT payment_intent_id AS id, ${CLAIM} IS NOT NULL AS "isClaimed" FROM foreign_payments
        WHERE stored_at <= $1 ORDER BY stored_at LIMIT ${limit}`,
      [upTo],
    )
    const claimed = old.filter(({ isClaimed }) => isClaimed).map(({ id }) => id)
    if (claimed.length === 0) return old.map(({ id }) => id)
    await query(
      `DELETE FROM foreign_payments WHERE payment_intent_id = ANY($1) AND ${CLAIM} IS NOT NULL`,
      [claimed],
    )
  }
}
