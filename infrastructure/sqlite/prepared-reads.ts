import type { SQLQueryBindings } from 'bun:sqlite'
import { getTableColumns, type InferSelectModel, is, Placeholder, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Queries } from './database.ts'

// Drizzle writes each statement once. What it reads is decoded here, because drizzle would work out anew for each value
// where in the row it belongs.

/**
 * Prepares a query of whole rows. What is bound takes the places of the condition's placeholders, in their order.
 * Throws for a condition with a value, which would never be bound.
 */
export function prepareSelect<Table extends SQLiteTable>(
  queries: Queries,
  table: Table,
  condition: SQL | undefined,
): (...bound: SQLQueryBindings[]) => InferSelectModel<Table>[] {
  const { sql: text, params } = queries.select().from(table).where(condition).toSQL()
  if (!params.every((param) => is(param, Placeholder))) {
    throw new Error(`a value that is not bound: ${text}`)
  }
  const statement = queries.$client.prepare(text)
  const columns = Object.entries<SQLiteColumn>(getTableColumns(table))
  return (...bound) =>
    statement.values(...bound).map((values) => toRow(columns, values) as InferSelectModel<Table>)
}

function toRow(
  columns: readonly (readonly [string, SQLiteColumn])[],
  values: readonly unknown[],
): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  let index = 0
  for (const [key, column] of columns) {
    const value = values[index++]
    row[key] = value === null ? null : column.mapFromDriverValue(value)
  }
  return row
}
