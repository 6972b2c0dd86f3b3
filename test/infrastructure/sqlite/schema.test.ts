import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { applyMigrations, MIGRATIONS } from '../../../infrastructure/sqlite/migrations.ts'
import * as schema from '../../../infrastructure/sqlite/schema.ts'

const MIGRATIONS_FOLDER = new URL('../../../infrastructure/sqlite/migrations/', import.meta.url)
const TABLES: readonly SQLiteTable[] = Object.values(schema)

/** The runner's own; no query of the service's goes through drizzle to it. */
const HISTORY = 'schema_migrations'

describe('the schema that the queries see', () => {
  test('has the tables of the migrated database, and no others', () => {
    const tables = migratedTables().map(({ name }) => name)

    expect(TABLES.map((table) => getTableConfig(table).name).toSorted()).toEqual(
      tables.filter((name) => name !== HISTORY).toSorted(),
    )
  })

  test.each(TABLES.map((table) => [getTableConfig(table).name, table] as const))(
    'has the columns of the migrated table %s, with their types and their nulls',
    (name, table) => {
      const columns = getTableConfig(table).columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        notNull: column.notNull,
      }))

      expect(columns).toEqual(migratedColumns(name))
    },
  )

  test.each(TABLES.map((table) => [getTableConfig(table).name, table] as const))(
    'names a primary key of %s only where the migrated table has it',
    (name, table) => {
      const named = getTableConfig(table).columns.filter(({ primary }) => primary)
      // Keys of several columns are the migrations' own business.
      if (named.length === 0) expect(migratedKey(name).length).toBeGreaterThan(1)
      else expect(named.map((column) => column.name)).toEqual(migratedKey(name))
    },
  )
})

describe('the migrated database', () => {
  test('checks the type of every value: each of its tables is STRICT', () => {
    const lax = migratedTables().filter(({ strict }) => strict !== 1)

    expect(migratedTables().length).toBeGreaterThan(TABLES.length)
    expect(lax).toEqual([])
  })

  test('comes from the files in the folder of migrations, all of them, in the order of their names', () => {
    const files = readdirSync(MIGRATIONS_FOLDER).toSorted()

    expect(MIGRATIONS.map(({ name }) => `${name}.sql`)).toEqual(files)
  })

  test.each(MIGRATIONS)(
    'gets the text of $name as it stands in its file',
    async ({ name, sql }) => {
      const file = Bun.file(new URL(`${name}.sql`, MIGRATIONS_FOLDER))

      expect(sql).toBe(await file.text())
    },
  )
})

function migrated(): Database {
  const client = new Database(':memory:')
  applyMigrations(client, MIGRATIONS)
  return client
}

function migratedTables(): readonly { name: string; strict: number }[] {
  return migrated()
    .prepare<{ name: string; strict: number }, []>(
      "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'",
    )
    .all()
}

function migratedColumns(table: string): { name: string; type: string; notNull: boolean }[] {
  return migrated()
    .prepare<{ name: string; type: string; notnull: number }, [string]>(
      'SELECT name, type, "notnull" FROM pragma_table_xinfo(?) ORDER BY cid',
    )
    .all(table)
    .map(({ name, type, notnull }) => ({ name, type, notNull: notnull === 1 }))
}

function migratedKey(table: string): string[] {
  return migrated()
    .prepare<{ name: string }, [string]>(
      'SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk',
    )
    .all(table)
    .map(({ name }) => name)
}
