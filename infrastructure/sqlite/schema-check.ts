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
  const present = new Set(columns.flatMap(({ table, name, key }) => names(table, name, key > 0)))
  const missing = neededNames().find((name) => !present.has(name))
  if (missing === undefined) return
  throw new IncompatibleDatabase(
    `the database ${client.filename} lacks ${missing}, although its migrations say otherwise: put a backup back with "alibi restore FILE"`,
  )
}

function neededNames(): string[] {
  return Object.values(schema)
    .filter((table) => is(table, SQLiteTable))
    .flatMap((table) =>
      Object.values(getTableColumns(table)).flatMap(({ name, primary }) =>
        names(getTableName(table), name, primary),
      ),
    )
}

function names(table: string, column: string, isKey: boolean): string[] {
  const name = `the column ${table}.${column}`
  return isKey ? [name, `${name} as primary key`] : [name]
}
