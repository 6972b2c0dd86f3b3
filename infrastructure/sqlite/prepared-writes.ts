import type { SQLQueryBindings } from 'bun:sqlite'
import {
  and,
  eq,
  getTableColumns,
  type InferInsertModel,
  type InferSelectModel,
  type Placeholder,
  type Query,
  type SQL,
  sql,
} from 'drizzle-orm'
import type {
  SQLiteColumn,
  SQLiteInsertValue,
  SQLiteTable,
  SQLiteUpdateSetSource,
} from 'drizzle-orm/sqlite-core'
import type { Queries } from './database.ts'

// Drizzle writes each statement once. What is bound to it is encoded here, because drizzle would work out anew for each
// row which value belongs to which column.

type Row = Readonly<Record<string, unknown>>

/**
 * Prepares an insert of rows. A column that a row leaves out is null, or the next number; a key that exists is a fault.
 */
export function prepareInsert<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
): (row: InferInsertModel<Table>) => void {
  return prepareRun(queries, table, queries.insert(table).values(placeholders(table)).toSQL())
}

/** As `prepareInsert` for whole rows, but a row whose key exists is left out. */
export function prepareInsertOnce<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
): (row: InferSelectModel<Table>) => void {
  const query = queries
    .insert(table)
    .values(placeholders(table))
    .onConflictDoNothing({ target: primaryKey(table) })
    .toSQL()
  return prepareRun(queries, table, query)
}

/** As `prepareInsertOnce`, but the row takes the place of the one with the same primary key. */
export function prepareUpsert<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
): (row: InferSelectModel<Table>) => void {
  const columns = Object.entries(getTableColumns(table))
  const query = queries
    .insert(table)
    .values(placeholders(table))
    .onConflictDoUpdate({
      target: primaryKey(table),
      set: Object.fromEntries(
        columns.map(([key, { name }]) => [key, sql`excluded.${sql.identifier(name)}`]),
      ) as Record<string, SQL>,
    })
    .toSQL()
  return prepareRun(queries, table, query)
}

/**
 * Prepares the update of a row that is there. Only the columns that have changed are written, and so only their
 * indexes: an upsert writes all of them anew.
 */
export function prepareUpdate<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
): (before: InferSelectModel<Table>, after: InferSelectModel<Table>) => void {
  const columns = Object.entries(getTableColumns(table))
  const updates = new Map<string, (row: Row) => void>()

  function prepare(keys: readonly string[]): (row: Row) => void {
    const all = Object.entries(placeholders(table))
    const changed = Object.fromEntries(all.filter(([key]) => keys.includes(key)))
    const isTheRow = columns
      .filter(([, { primary }]) => primary)
      .map(([key, column]) => eq(column, sql`${sql.placeholder(key)}`))
    const query = queries
      .update(table)
      .set(changed as SQLiteUpdateSetSource<Table>)
      .where(and(...isTheRow))
    return prepareRun(queries, table, query.toSQL())
  }

  return (before: Row, after: Row) => {
    const keys = columns
      .filter(([key, column]) => encode(column, before[key]) !== encode(column, after[key]))
      .map(([key]) => key)
    if (keys.length === 0) return
    const name = keys.join()
    const update = updates.get(name) ?? prepare(keys)
    updates.set(name, update)
    update(after)
  }
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

function prepareRun(
  queries: Queries,
  table: SQLiteTable,
  { sql: text, params }: Query,
): (row: Row) => void {
  const statement = queries.$client.prepare(text)
  const tableColumns: Record<string, SQLiteColumn> = getTableColumns(table)
  const columns = (params as Placeholder[]).map(({ name }) => ({
    key: String(name),
    column: tableColumns[String(name)],
  }))
  return (row) => void statement.run(...columns.map(({ key, column }) => encode(column, row[key])))
}

function encode(column: SQLiteColumn | undefined, value: unknown): SQLQueryBindings {
  if (value === null || value === undefined) return null
  return column?.mapToDriverValue(value) as SQLQueryBindings
}
