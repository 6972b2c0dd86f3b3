import type { LogOutRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { logOuts } from './schema.ts'

const OWN_AND_COMMON = `SELECT line_at AS lineAt FROM log_outs WHERE email = ?1
  UNION ALL SELECT line_at FROM common_log_out`

type LogOutRow = { readonly lineAt: number }

export function sqliteLogOutRepository({ queries, read, write }: SqliteDatabase): LogOutRepository {
  const upsert = prepareUpsert(queries, logOuts)
  const findTokensValidAfter = prepareFindTokensValidAfter(queries)
  const findLatestPossible = prepareFindLatestPossible(queries)

  return {
    findByEmail: async (email, digests = []) => read(() => findTokensValidAfter(email, digests)),
    update: async (email, change) =>
      write(() => upsert({ email, lineAt: change(findLatestPossible(email)) })),
  }
}

/** On the path of every request with a token: a list in JSON, or a maximum in SQL, takes several times as long. */
function prepareFindTokensValidAfter(
  queries: Queries,
): (email: Email, digests: readonly ErasedEmailDigest[]) => Date | null {
  const prepareFor = (digests: number) =>
    queries.$client.prepare<LogOutRow, [Email, ...ErasedEmailDigest[]]>(
      `${OWN_AND_COMMON} UNION ALL SELECT line_at FROM erased_log_outs
        WHERE trace IN (${Array.from({ length: digests }, () => '?').join(', ')})`,
    )
  // One digest for each key that counts.
  const statements = new Map([0, 1, 2].map((digests) => [digests, prepareFor(digests)]))
  return (email, digests) =>
    latest((statements.get(digests.length) ?? prepareFor(digests.length)).all(email, ...digests))
}

/** The latest moment that an address can have: only its digests tell which erasures were its own. */
export function prepareFindLatestPossible(queries: Queries): (email: Email) => Date | null {
  const select = queries.$client.prepare<LogOutRow, [Email]>(
    `${OWN_AND_COMMON} UNION ALL SELECT max(line_at) FROM erased_log_outs HAVING count(*) > 0`,
  )
  return (email) => latest(select.all(email))
}

function latest(rows: readonly LogOutRow[]): Date | null {
  return rows.length === 0 ? null : new Date(Math.max(...rows.map(({ lineAt }) => lineAt)))
}
