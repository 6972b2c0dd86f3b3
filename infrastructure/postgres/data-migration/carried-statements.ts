import type { Client } from 'pg'
import type { CarriedRow, CarriedTable, ColumnKind } from '../../data-migration/carried-tables.ts'
import type { TableReader } from '../../data-migration/copy-tables.ts'

type Value = CarriedRow[number]

type Translation = {
  readonly type: string
  /** What is selected of a column, as text. */
  readonly select: (column: string) => string
  readonly read: (text: string) => Value
  readonly write: (value: Exclude<Value, null>) => string | number
}

const NUMBER = {
  select: (column: string) => column,
  read: Number,
  write: (value: string | number) => value,
}

const TRANSLATIONS: Readonly<Record<ColumnKind, Translation>> = {
  text: { ...NUMBER, type: 'text', read: (text) => text },
  integer: { ...NUMBER, type: 'integer' },
  bigint: { ...NUMBER, type: 'bigint' },
  moment: {
    type: 'timestamptz',
    // Exact, whatever the session's time zone and its style of dates are. Infinity stays what it is.
    select: (column) => `extract(epoch FROM ${column}) * 1000`,
    read: Number,
    write: (value) => timestampOf(Number(value)),
  },
  flag: {
    type: 'boolean',
    select: (column) => column,
    read: (text) => (text === 't' ? 1 : 0),
    write: (value) => (value === 1 ? 'true' : 'false'),
  },
}

/** Every value as PostgreSQL writes it. */
const AS_TEXT = { getTypeParser: () => (text: string) => text } as never

export function postgresTableReader(client: Client): TableReader {
  return {
    async readPage({ name, columns, key }, { after, limit }) {
      const selected = columns.map(
        (column) => `${TRANSLATIONS[column.kind].select(column.name)} AS ${column.name}`,
      )
      const keys = key.map((column) => `${name}.${column}`).join(', ')
      const places = key.map((_, place) => `$${place + 1}`).join(', ')
      const behind = after ? `WHERE (${keys}) > (${places})` : ''
      const { rows } = await client.query<(string | null)[]>({
        text: `SELECT ${selected.join(', ')} FROM ${name} ${behind} ORDER BY ${keys} LIMIT ${limit}`,
        values: after ? [...after] : [],
        rowMode: 'array',
        types: AS_TEXT,
      })
      const read = columns.map(({ kind }) => TRANSLATIONS[kind].read)
      return rows.map((row) =>
        row.map((value, place) => (value === null ? null : (read[place]?.(value) ?? null))),
      )
    },
  }
}

/** By one statement with an array for each column: a page of rows has few parameters then. */
export async function insertRows(
  client: Client,
  { name, columns }: CarriedTable,
  rows: readonly CarriedRow[],
): Promise<void> {
  const names = columns.map((column) => column.name).join(', ')
  const arrays = columns.map(({ kind }, place) => `$${place + 1}::${TRANSLATIONS[kind].type}[]`)
  const values = columns.map(({ kind }, place) => {
    const { write } = TRANSLATIONS[kind]
    return rows.map((row) => {
      const value = row[place] ?? null
      return value === null ? null : write(value)
    })
  })
  await client.query(
    `INSERT INTO ${name} (${names}) SELECT * FROM unnest(${arrays.join(', ')})`,
    values,
  )
}

/** PostgreSQL writes years after 9999 without a sign, and counts those before the first one. */
function timestampOf(ms: number): string {
  const [, year = '', rest = ''] = /^([+-]?[0-9]+)-(.*)Z$/.exec(new Date(ms).toISOString()) ?? []
  const number = Number(year)
  const [shown, era] = number > 0 ? [number, ''] : [1 - number, ' BC']
  return `${String(shown).padStart(4, '0')}-${rest.replace('T', ' ')}+00${era}`
}
