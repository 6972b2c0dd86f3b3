import type { Database } from 'bun:sqlite'
import type { Retention } from '../../application/store.ts'
import type { PrunedKind } from '../../domain/retention.ts'
import type { SqliteDatabase } from './database.ts'

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
    codes: deletion('otps', 'email, role', 'expires_at <= ?1'),
    code_mails: deletion('otp_mails', 'email, position', 'sent_at <= ?1'),
    wrong_tries: deletion('otp_wrong_tries', 'email, position', 'tried_at <= ?1'),
    verifications: deletion('verifications', 'email', 'expires_at <= ?1'),
    log_outs: preparePruneLogOuts(client),
    messages: deletion('outbox', 'key', "state IN ('done', 'dropped') AND ended_at <= ?1"),
    unpaid_purchases: deletion(
      'purchases',
      'id',
      // Were the row of an erased address gone, a late payment would restore it together with the address.
      "state = 'closed' AND expires_at <= ?1 AND email NOT GLOB 'erased-*@alibi.invalid'",
    ),
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
