import {
  type ColumnBaseConfig,
  type ColumnDataType,
  getTableColumns,
  getTableName,
  type InferInsertModel,
  type InferSelectModel,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { PgColumn, PgInsertValue, PgTable } from 'drizzle-orm/pg-core'
import type { Queries } from './connection/database.ts'

// Why: docs/decisions.md#drizzle-writes-a-statement-for-postgresql-once
const UNNAMED = ''

/** A statement whose values are placeholders, ready for the connection that it is asked for. */
export function prepared<Prepared>(
  build: (queries: Queries) => { prepare(name: string): Prepared },
): (queries: Queries) => Prepared {
  const known = new WeakMap<Queries, Prepared>()
  return (queries) => {
    const statement = known.get(queries) ?? build(queries).prepare(UNNAMED)
    known.set(queries, statement)
    return statement
  }
}

/** Inserts a row. A column that it leaves out gets its default. */
export function insert<Table extends PgTable>(
  queries: Queries,
  table: Table,
  row: InferInsertModel<Table>,
): Promise<unknown> {
  return run(queries, table, row, { kind: 'insert', finish: (statement) => statement })
}

/** As `insert`, but a row whose key is there already is left out. */
export function insertOnce<Table extends PgTable>(
  queries: Queries,
  table: Table,
  row: InferInsertModel<Table>,
): Promise<unknown> {
  return run(queries, table, row, {
    kind: 'insert once',
    finish: (statement) => statement.onConflictDoNothing(),
  })
}

/** Inserts the row, in the place of the one with the same key where there is one. */
export function upsert<Table extends PgTable>(
  queries: Queries,
  table: Table,
  key: readonly PgColumn[],
  row: InferSelectModel<Table>,
): Promise<unknown> {
  return run(queries, table, row, {
    kind: 'upsert',
    finish(statement) {
      const columns = Object.entries(getTableColumns(table)).filter(([, one]) => !key.includes(one))
      const set = Object.fromEntries(
        columns.map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
      ) as Record<string, SQL>
      return statement.onConflictDoUpdate({ target: [...key], set })
    },
  })
}

type Row = Readonly<Record<string, unknown>>
type Insert = ReturnType<ReturnType<Queries['insert']>['values']>
type Statement = { execute(values: Record<string, unknown>): Promise<unknown> }

const statements = new WeakMap<Queries, Map<string, Statement>>()

function run(
  queries: Queries,
  table: PgTable,
  row: Row,
  {
    kind,
    finish,
  }: { kind: string; finish: (statement: Insert) => { prepare(name: string): Statement } },
): Promise<unknown> {
  const ofConnection = statements.get(queries) ?? new Map<string, Statement>()
  statements.set(queries, ofConnection)
  const columns: Readonly<Record<string, Column>> = getTableColumns(table)
  const keys = Object.keys(row)
  const name = `${kind} ${getTableName(table)} ${keys.join()}`
  const statement =
    ofConnection.get(name) ??
    finish(queries.insert(table).values(placeholders(keys) as PgInsertValue<PgTable>)).prepare(
      UNNAMED,
    )
  ofConnection.set(name, statement)
  return statement.execute(
    Object.fromEntries(keys.map((key) => [key, encode(columns[key], row[key])])),
  )
}

type Column = PgColumn<ColumnBaseConfig<ColumnDataType, string>>

function placeholders(keys: readonly string[]): Row {
  // As SQL of its own: otherwise drizzle would encode the value, and fail on null.
  return Object.fromEntries(keys.map((key) => [key, sql`${sql.placeholder(key)}`]))
}

function encode(column: Column | undefined, value: unknown): unknown {
  return value === null || value === undefined ? null : column?.mapToDriverValue(value)
}
