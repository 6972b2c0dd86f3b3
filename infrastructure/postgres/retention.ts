import type { Retention } from '../../application/store.ts'
import type { PrunedKind } from '../../domain/retention.ts'
import type { PostgresDatabase } from './connection/database.ts'
import { ofPayment } from './connection/locks.ts'

const OTP_KEY = 'email, sender, role'
const COUNTED_KEY = 'email, sender, position'

/** Whether the address of a code was never proven, for all that is stored: nor has it premium, nor bought anything. */
const IS_UNPROVEN = ['verifications', 'purchases', 'operator_grants']
  .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table}.email = otps.email)`)
  .join(' AND ')

type Batch = { readonly upTo: Date; readonly limit: number }
type Prune = (database: PostgresDatabase, batch: Batch) => Promise<number>

export function postgresRetention(database: PostgresDatabase): Retention {
  return { prune: (kind, batch) => PRUNES[kind](database, batch) }
}

const PRUNES: Readonly<Record<PrunedKind, Prune>> = {
  codes: deletion('otps', OTP_KEY, 'expires_at <= $1'),
  unproven_codes: deletion('otps', OTP_KEY, `expires_at <= $1 AND ${IS_UNPROVEN}`),
  code_mails: deletion('otp_mails', COUNTED_KEY, 'sent_at <= $1'),
  future_code_mails: deletion('otp_mails', COUNTED_KEY, 'sent_at > $1'),
  wrong_tries: deletion('otp_wrong_tries', COUNTED_KEY, 'tried_at <= $1'),
  future_wrong_tries: deletion('otp_wrong_tries', COUNTED_KEY, 'tried_at > $1'),
  service_mails: deletion('service_mails', 'id', 'sent_at <= $1'),
  verifications: deletion('verifications', 'email', 'expires_at <= $1'),
  log_outs: pruneLogOuts,
  messages: deletion('outbox', 'key', "state IN ('done', 'dropped') AND ended_at <= $1"),
  unpaid_purchases: deletion(
    'purchases',
    'id',
    // Were the row of an erased address gone, a late payment would restore it together with the address.
    "state = 'closed' AND expires_at <= $1 AND email NOT LIKE 'erased-%@alibi.invalid'",
  ),
  foreign_reversals: pruneForeignReversals,
  sandbox_sessions: deletion('sandbox_sessions', 'session_id', 'created_at <= $1'),
  audit_entries: deletion('audit_entries', 'id', 'at <= $1'),
}

/**
 * Rows of a table, identified by its key, that have been of no use since the moment $1. The condition stands there
 * twice, because another transaction may have changed a row after it was chosen.
 */
function deletion(table: string, key: string, where: string): Prune {
  const text = `WITH deleted AS (
    DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT $2)
      AND ${where} RETURNING 1
  ) SELECT count(*)::integer AS count FROM deleted`
  return async ({ query }, { upTo, limit }) => {
    const [row] = await query<{ count: number }>(text, [upTo, limit])
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
    `WITH deleted AS (
      DELETE FROM log_outs
        WHERE email IN (SELECT email FROM log_outs WHERE epoch <= $1 LIMIT $2) AND epoch <= $1
        RETURNING epoch
    ), deleted_of_erased AS (
      DELETE FROM erased_log_outs
        WHERE trace IN (
          SELECT trace FROM erased_log_outs WHERE epoch <= $1
            LIMIT greatest($2 - (SELECT count(*) FROM deleted), 0)
        ) AND epoch <= $1
        RETURNING epoch
    ), latest AS (
      SELECT max(epoch) AS epoch, count(*)::integer AS count
        FROM (SELECT * FROM deleted UNION ALL SELECT * FROM deleted_of_erased) AS both_kinds
    ), raised AS (
      INSERT INTO common_log_out (id, epoch) SELECT 1, epoch FROM latest WHERE epoch IS NOT NULL
        ON CONFLICT (id) DO UPDATE SET epoch = greatest(common_log_out.epoch, excluded.epoch)
    )
    SELECT count FROM latest`,
    [upTo.getTime(), limit],
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
  const isClaimed = `EXISTS (
    SELECT 1 FROM purchases WHERE purchases.payment_intent_id = foreign_payments.payment_intent_id
  )`
  await database.query(`DELETE FROM foreign_payments WHERE stored_at <= $1 AND ${isClaimed}`, [
    upTo,
  ])
  const old = await database.query<{ id: string }>(
    `SELECT payment_intent_id AS id FROM foreign_payments WHERE stored_at <= $1 LIMIT $2`,
    [upTo, limit],
  )
  if (old.length === 0) return 0

  return database.write(
    old.map(({ id }) => ofPayment(id)),
    async ({ query, store }) => {
      const rows = await query<{ id: string }>(
        `DELETE FROM foreign_payments WHERE payment_intent_id = ANY($1) AND stored_at <= $2
          AND NOT ${isClaimed}
          AND NOT EXISTS (SELECT 1 FROM purchases WHERE state = 'open' AND created_at <= $2)
          RETURNING payment_intent_id AS id`,
        [old.map(({ id }) => id), upTo],
      )
      const foreign = [rows.map(({ id }) => id)]
      store(query('DELETE FROM refunds WHERE payment_intent_id = ANY($1)', foreign))
      store(query('DELETE FROM disputes WHERE payment_intent_id = ANY($1)', foreign))
      return rows.length
    },
  )
}
