import {
  getTableColumns,
  type InferInsertModel,
  type InferSelectModel,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { SQLiteInsertValue, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Queries } from './database.ts'

/**
 * Prepares an insert of rows. A column that a row leaves out is null, or the next number; a key that exists is a fault.
 */
export function prepareInsert<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
): (row: InferInsertModel<Table>) => void {
  const statement = queries.insert(table).values(placeholders(table)).prepare()
  return (row) => void statement.run(encode(table, row))
}

/** As `prepareInsert` for whole rows, but a row whose key exists is left out. */
export function prepareInsertOnce<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
): (row: InferSelectModel<Table>) => void {
  const statement = queries
    .insert(table)
    .values(placeholders(table))
    .onConflictDoNothing({ target: primaryKey(table) })
    .prepare()
  return (row) => void statement.run(encode(table, row))
}

/** As `prepareInsertOnce`, but the row takes the place of the one with the same primary key. */
export function prepareUpsert<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
): (row: InferSelectModel<Table>) => void {
  const columns = Object.entries(getTableColumns(table))
  const statement = queries
    .insert(table)
    .values(placeholders(table))
    .onConflictDoUpdate({
      target: primaryKey(table),
      set: Object.fromEntries(
        columns.map(([key, { name }]) => [key, sql`excluded.${sql.identifier(name)}`]),
      ) as Record<string, SQL>,
    })
    .prepare()
  return (row) => void statement.run(encode(table, row))
}

function primaryKey(table: SQLiteTable) {
  return Object.values(getTableColumns(table)).filter(({ primary }) => primary)
}

function placeholders<Table extends SQLiteTable>(table: Table): SQLiteInsertValue<Table> {
  const keys = Object.keys(getTableColumns(table))
  return Object.fromEntries(
    // As SQL of its own: otherwise drizzle would encode the value, and fail on null.
    keys.map((key) => [key, sql`${sql.placeholder(key)}`]),
  ) as SQLiteInsertValue<Table>
}

function encode(
  table: SQLiteTable,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(getTableColumns(table)).map(([key, column]) => {
      const value = values[key] ?? null
      return [key, value === null ? null : column.mapToDriverValue(value)]
    }),
  )
}
