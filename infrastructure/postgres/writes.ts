import { getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgInsertValue, PgTable } from 'drizzle-orm/pg-core'
import type { Queries } from './connection/database.ts'

/** Inserts the row, in the place of the one with the same key where there is one. */
export function upsert<Table extends PgTable>(
  queries: Queries,
  table: Table,
  key: readonly PgColumn[],
  row: InferSelectModel<Table>,
): PromiseLike<unknown> {
  const columns = Object.entries(getTableColumns(table)).filter(([, one]) => !key.includes(one))
  const set = Object.fromEntries(
    columns.map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
  ) as Record<string, SQL>
  return queries
    .insert(table)
    .values(row as PgInsertValue<Table>)
    .onConflictDoUpdate({ target: [...key], set })
}
