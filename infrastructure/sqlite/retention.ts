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
 * Therefore the tokens of all addresses are void that are older than the latest deleted log-out. The moment up to
 * which log-outs are deleted would not do: a clock that was ahead for a while would end the tokens of months to come.
 */
function preparePruneLogOuts(client: Database): Prune {
  const deletions = [
    { table: 'log_outs', key: 'email' },
    { table: 'erased_log_outs', key: 'trace' },
  ].map(({ table, key }) =>
    client.prepare<{ lineAt: number }, [number, number]>(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE line_at <= ?1 LIMIT ?2)
        RETURNING line_at AS lineAt`,
    ),
  )
  const raiseCommonLogOut = client.prepare(
    `INSERT INTO common_log_out (id, line_at) VALUES (1, ?1)
      ON CONFLICT (id) DO UPDATE SET line_at = max(line_at, excluded.line_at)`,
  )

  return ({ upTo, limit }) => {
    const moments: number[] = []
    for (const deletion of deletions) {
      const deleted = deletion.all(upTo.getTime(), limit - moments.length)
      moments.push(...deleted.map(({ lineAt }) => lineAt))
    }
    if (moments.length > 0) raiseCommonLogOut.run(Math.max(...moments))
    return moments.length
  }
}
