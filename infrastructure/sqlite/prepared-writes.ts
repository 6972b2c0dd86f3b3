import { getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { SQLiteInsertValue, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Queries } from './database.ts'

/** Prepares an insert of whole rows. A row whose key exists is a fault. */
export function prepareInsert<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
): (row: InferSelectModel<Table>) => void {
  const statement = queries.insert(table).values(placeholders(table)).prepare()
  return (row) => void statement.run(encode(table, row))
}

/** As `prepareInsert`, but the row takes the place of the one with the same primary key. */
export function prepareUpsert<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
): (row: InferSelectModel<Table>) => void {
  const columns = Object.entries(getTableColumns(table))
  const statement = queries
    .insert(table)
    .values(placeholders(table))
    .onConflictDoUpdate({
      target: columns.map(([, column]) => column).filter(({ primary }) => primary),
      set: Object.fromEntries(
        columns.map(([key, { name }]) => [key, sql`excluded.${sql.identifier(name)}`]),
      ) as Record<string, SQL>,
    })
    .prepare()
  return (row) => void statement.run(encode(table, row))
}

function placeholders<Table extends SQLiteTable>(table: Table): SQLiteInsertValue<Table> {
  const keys = Object.keys(getTableColumns(table))
  return Object.fromEntries(
    // As SQL of its own: else drizzle would encode what is given, and fail on null.
    keys.map((key) => [key, sql`${sql.placeholder(key)}`]),
  ) as SQLiteInsertValue<Table>
}

function encode<Table extends SQLiteTable>(
  table: Table,
  row: InferSelectModel<Table>,
): Record<string, unknown> {
  const values: Record<string, unknown> = row
  return Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([key, column]) => {
      const value = values[key] ?? null
      return [key, value === null ? null : column.mapToDriverValue(value)]
    }),
  )
}
