import type { Database } from 'bun:sqlite'
import type { Retention } from '../../application/store.ts'
import type { PrunedKind } from '../../domain/retention.ts'
import type { SqliteDatabase } from './database.ts'

const OTP_KEY = 'email, sender, role'
const COUNTED_KEY = 'email, sender, position'

/** Whether the address of a code was never proven, for all that is stored: nor has it premium, nor bought anything. */
const IS_UNPROVEN = ['verifications', 'purchases', 'operator_grants']
  .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table}.email = otps.email)`)
  .join(' AND ')

type Batch = { readonly upTo: Date; readonly limit: number }
type Prune = (batch: Batch) => number

export function sqliteRetention({ queries, write }: SqliteDatabase): Retention {
  const prunes = preparePrunes(queries.$client)
  return { prune: async (kind, batch) => write(() => prunes[kind](batch)) }
}

function preparePrunes(client: Database): Readonly<Record<PrunedKind, Prune>> {
  /** Rows of a table, identified by its key, that have been of no use since the moment ?1. */
  const deletion = (table: string, key: string, where: string): Prune => {
    const statement = client.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ?2)`,
    )
    return ({ upTo, limit }) => statement.run(upTo.getTime(), limit).changes
  }

  return {
    codes: deletion('otps', OTP_KEY, 'expires_at <= ?1'),
    unproven_codes: deletion('otps', OTP_KEY, `expires_at <= ?1 AND ${IS_UNPROVEN}`),
    code_mails: deletion('otp_mails', COUNTED_KEY, 'sent_at <= ?1'),
    future_code_mails: deletion('otp_mails', COUNTED_KEY, 'sent_at > ?1'),
    wrong_tries: deletion('otp_wrong_tries', COUNTED_KEY, 'tried_at <= ?1'),
    future_wrong_tries: deletion('otp_wrong_tries', COUNTED_KEY, 'tried_at > ?1'),
    service_mails: deletion('service_mails', 'id', 'sent_at <= ?1'),
    verifications: deletion('verifications', 'email', 'expires_at <= ?1'),
    log_outs: preparePruneLogOuts(client),
    messages: deletion('outbox', 'key', "state IN ('done', 'dropped') AND ended_at <= ?1"),
    unpaid_purchases: deletion(
      'purchases',
      'id',
      // Were the row of an erased address gone, a late payment would restore it together with the address.
      "state = 'closed' AND expires_at <= ?1 AND email NOT GLOB 'erased-*@alibi.invalid'",
    ),
    foreign_reversals: preparePruneForeignReversals(client),
    sandbox_sessions: deletion('sandbox_sessions', 'session_id', 'created_at <= ?1'),
    audit_entries: deletion('audit_entries', 'id', 'at <= ?1'),
  }
}

/**
 * An operator who sets TOKEN_TTL down and, months later, up again would revive tokens whose log-out is deleted.
 * Therefore the tokens of all addresses are void that are from before the latest deleted log-out. An epoch is at least
 * the time of its log-out, so that none is deleted too early. Where the clock was ahead at one, it and those after it
 * are kept for that much longer.
 */
function preparePruneLogOuts(client: Database): Prune {
  const deletions = [
    { table: 'log_outs', key: 'email' },
    { table: 'erased_log_outs', key: 'trace' },
  ].map(({ table, key }) =>
    client.prepare<{ epoch: number }, [number, number]>(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE epoch <= ?1 LIMIT ?2)
        RETURNING epoch`,
    ),
  )
  const raiseCommonLogOut = client.prepare(
    `INSERT INTO common_log_out (id, epoch) VALUES (1, ?1)
      ON CONFLICT (id) DO UPDATE SET epoch = max(epoch, excluded.epoch)`,
  )

  return ({ upTo, limit }) => {
    const epochs: number[] = []
    for (const deletion of deletions) {
      const deleted = deletion.all(upTo.getTime(), limit - epochs.length)
      epochs.push(...deleted.map(({ epoch }) => epoch))
    }
    if (epochs.length > 0) raiseCommonLogOut.run(Math.max(...epochs))
    return epochs.length
  }
}

/**
 * Of a payment whose purchase is known by now only the note is deleted. Nothing is deleted while an older purchase is
 * open: the provider has been out of reach for so long, and the payment may turn out to be its own.
 */
function preparePruneForeignReversals(client: Database): Prune {
  const deleteClaimed = client.prepare(
    `DELETE FROM foreign_payments WHERE stored_at <= ?1 AND EXISTS (
      SELECT 1 FROM purchases
      WHERE purchases.payment_intent_id = foreign_payments.payment_intent_id
    )`,
  )
  const deleteForeign = client.prepare<{ id: string }, [number, number]>(
    `DELETE FROM foreign_payments WHERE payment_intent_id IN (
      SELECT payment_intent_id FROM foreign_payments WHERE stored_at <= ?1 LIMIT ?2
    ) AND NOT EXISTS (SELECT 1 FROM purchases WHERE state = 'open' AND created_at <= ?1)
    RETURNING payment_intent_id AS id`,
  )
  const deleteRefunds = client.prepare('DELETE FROM refunds WHERE payment_intent_id = ?1')
  const deleteDisputes = client.prepare('DELETE FROM disputes WHERE payment_intent_id = ?1')

  return ({ upTo, limit }) => {
    deleteClaimed.run(upTo.getTime())
    const foreign = deleteForeign.all(upTo.getTime(), limit)
    for (const { id } of foreign) {
      deleteRefunds.run(id)
      deleteDisputes.run(id)
    }
    return foreign.length
  }
}
