import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
  CARRIED_TABLES,
  type ColumnKind,
  TABLES_LEFT_BEHIND,
} from '../../../infrastructure/data-migration/carried-tables.ts'
import { applyMigrations, MIGRATIONS } from '../../../infrastructure/sqlite/migrations.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { query } from '../../support/postgres/query.ts'
import { MIGRATED } from '../../support/stores/postgres-store.ts'

type Column = {
  readonly table: string
  readonly name: string
  readonly type: string
  /** Its place in the primary key, from 1; 0 for others. */
  readonly key: number
}

const SQLITE_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  bigint: 'INTEGER',
  moment: 'INTEGER',
  flag: 'INTEGER',
}

const POSTGRES_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  moment: 'timestamp(3) with time zone',
  flag: 'boolean',
}

/** What the list says of the tables, as a database would say it. */
function listed(types: Readonly<Record<ColumnKind, string>>): Column[] {
  return CARRIED_TABLES.flatMap(({ name: table, columns, key }) =>
    columns.map(({ name, kind }) => ({
      table,
      name,
      type: types[kind],
      key: key.indexOf(name) + 1,
    })),
  )
}

const sorted = (columns: readonly Column[]) =>
  columns.map(({ table, name, type, key }) => `${table}.${name} ${type} ${key}`).toSorted()

const isCarried = ({ table }: Pick<Column, 'table'>) => !TABLES_LEFT_BEHIND.includes(table)

describe('the tables that are carried to another database', () => {
  test('are those of SQLite, with every column and the whole key', () => {
    const client = new Database(':memory:')
    applyMigrations(client, MIGRATIONS)
    const there = client
      .query<Column, []>(
        `SELECT t.name AS "table", c.name, c.type, c.pk AS key
         FROM pragma_table_list t, pragma_table_xinfo(t.name) c
         WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%'`,
      )
      .all()
    expect(sorted(there.filter(isCarried))).toEqual(sorted(listed(SQLITE_TYPES)))
  })

  test('have flags where SQLite takes nothing but 0 and 1', () => {
    const client = new Database(':memory:')
    applyMigrations(client, MIGRATIONS)
    const sql = client
      .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map((table) => table.sql)
      .join('\n')
    const flags = [...sql.matchAll(/CHECK \((\w+) IN \(0, 1\)\)/g)].map(([, name]) => name)
    const named = CARRIED_TABLES.flatMap(({ columns }) =>
      columns.filter(({ kind }) => kind === 'flag').map(({ name }) => name),
    )
    expect(new Set<string | undefined>(named)).toEqual(new Set(flags))
  })

  test('have a row before any customer comes only where they say so', () => {
    const client = new Database(':memory:')
    applyMigrations(client, MIGRATIONS)
    const filled = CARRIED_TABLES.filter(
      ({ name, initialRows }) =>
        client.query(`SELECT 1 FROM ${name} WHERE NOT (${initialRows ?? 'false'})`).get() !== null,
    )
    expect(filled).toEqual([])
  })

  if (hasPostgres()) {
    test('are those of PostgreSQL, with every column and the whole key', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      const rows = await query(
        url,
        `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
           coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS key
         FROM pg_class c
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`,
      )
      const there = rows as unknown as Column[]
      expect(sorted(there.filter(isCarried))).toEqual(sorted(listed(POSTGRES_TYPES)))
    })

    test('are counted by PostgreSQL where they say so', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      const rows = await query(
        url,
        `SELECT table_name AS name FROM information_schema.columns
         WHERE table_schema = 'public' AND is_identity = 'YES' ORDER BY table_name`,
      )
      const counted = CARRIED_TABLES.filter(({ hasCountedKey }) => hasCountedKey)
      expect(counted.map(({ name }) => name).toSorted()).toEqual(rows.map(({ name }) => `${name}`))
    })
  }
})
