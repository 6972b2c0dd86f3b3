import type { LogOutRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { EmailTrace } from '../../domain/erasure.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { logOuts } from './schema.ts'

const OWN_AND_COMMON = `SELECT line_at AS lineAt FROM log_outs WHERE email = ?1
  UNION ALL SELECT line_at FROM common_log_out`

type Line = { readonly lineAt: number }

export function sqliteLogOutRepository({ queries, read, write }: SqliteDatabase): LogOutRepository {
  const upsert = prepareUpsert(queries, logOuts)
  const findLine = prepareFindLine(queries)
  const findPossibleLine = prepareFindPossibleLine(queries)

  return {
    findByEmail: async (email, traces = []) => read(() => findLine(email, traces)),
    update: async (email, change) =>
      write(() => upsert({ email, lineAt: change(findPossibleLine(email)) })),
  }
}

/** On the path of every request with a token: a list in JSON, or a maximum in SQL, takes several times as long. */
function prepareFindLine(
  queries: Queries,
): (email: Email, traces: readonly EmailTrace[]) => Date | null {
  const prepareFor = (traces: number) =>
    queries.$client.prepare<Line, [Email, ...EmailTrace[]]>(
      `${OWN_AND_COMMON} UNION ALL SELECT line_at FROM erased_log_outs
        WHERE trace IN (${Array.from({ length: traces }, () => '?').join(', ')})`,
    )
  // One trace for each key that counts.
  const statements = new Map([0, 1, 2].map((traces) => [traces, prepareFor(traces)]))
  return (email, traces) =>
    latest((statements.get(traces.length) ?? prepareFor(traces.length)).all(email, ...traces))
}

/** The latest line that an address can have: which erasures were its own, only its traces tell. */
export function prepareFindPossibleLine(queries: Queries): (email: Email) => Date | null {
  const select = queries.$client.prepare<Line, [Email]>(
    `${OWN_AND_COMMON} UNION ALL SELECT max(line_at) FROM erased_log_outs HAVING count(*) > 0`,
  )
  return (email) => latest(select.all(email))
}

function latest(lines: readonly Line[]): Date | null {
  return lines.length === 0 ? null : new Date(Math.max(...lines.map(({ lineAt }) => lineAt)))
}
