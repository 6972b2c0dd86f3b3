import type { Database } from 'bun:sqlite'
import { CARRIED_TABLES, type CarriedRow } from '../../data-migration/carried-tables.ts'
import type { TableReader } from '../../data-migration/copy-tables.ts'

/** SQLite has moments and flags as numbers, as the rows that are copied do. */
export function sqliteTableReader(client: Database): TableReader {
  return {
    readPage({ name, columns, key }, { after, limit }) {
      const keys = key.join(', ')
      const places = key.map(() => '?').join(', ')
      const behind = after ? `WHERE (${keys}) > (${places})` : ''
      const statement = client.prepare<CarriedRow, (string | number | null)[]>(
        `SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}
         ${behind} ORDER BY ${keys} LIMIT ?`,
      )
      try {
        return statement.values(...(after ?? []), limit) as unknown as CarriedRow[]
      } finally {
        statement.finalize()
      }
    },
  }
}

/** The first table that has a customer's data; null where none has, also in a database of an older release. */
export function findFilledTable(client: Database): string | null {
  const present = client
    .prepare<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
  const filled = CARRIED_TABLES.filter(({ name }) => present.includes(name)).find(
    ({ name, initialRows }) =>
      client
        .prepare(`SELECT 1 FROM ${name} WHERE NOT (${initialRows ?? 'false'}) LIMIT 1`)
        .get() !== null,
  )
  return filled?.name ?? null
}
