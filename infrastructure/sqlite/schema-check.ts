import type { Database } from 'bun:sqlite'
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { IncompatibleDatabase } from '../database/outage.ts'
import * as schema from './schema.ts'

type Column = { readonly table: string; readonly name: string; readonly key: number }

/**
 * Throws `IncompatibleDatabase` where a table, a column or a primary key is missing that the queries need: someone has
 * changed the tables by hand. The queries themselves are prepared on first use, which is too late to find out.
 */
export function assertSchema(client: Database): void {
  const columns = client
    .prepare<Column, []>(
      `SELECT t.name AS "table", c.name, c.pk AS key
       FROM pragma_table_list t, pragma_table_xinfo(t.name) c WHERE t.schema = 'main'`,
    )
    .all()
  const keys = new Map(columns.map(({ table, name, key }) => [`${table}.${name}`, key > 0]))
  const missing = findMissing(keys)
  if (missing === null) return
  throw new IncompatibleDatabase(
    `the database ${client.filename} lacks ${missing}, although its migrations say otherwise: put a backup back with "alibi restore FILE"`,
  )
}

/** The first column that is not there, or is no key; null where none is missing. */
function findMissing(keys: ReadonlyMap<string, boolean>): string | null {
  for (const table of Object.values(schema)) {
    if (!is(table, SQLiteTable)) continue
    for (const { name, primary } of Object.values(getTableColumns(table))) {
      const column = `${getTableName(table)}.${name}`
      const isKey = keys.get(column)
      if (isKey === undefined) return `the column ${column}`
      if (primary && !isKey) return `the column ${column} as primary key`
    }
  }
  return null
}
