import type { TableDigest } from '../../application/upkeep/reports.ts'
import { type CarriedRow, type CarriedTable, type ColumnKind, keyOf } from './carried-tables.ts'

/** Either database holds it, but not both: nothing is copied. */
export class UnfitRow extends Error {
  override readonly name = 'UnfitRow'
}

const INTEGER_MAX = 2 ** 31 - 1
/** The first day that PostgreSQL knows: https://www.postgresql.org/docs/current/datatype-datetime.html */
const MOMENT_MIN = -210_866_803_200_000
/** The last moment of a `Date`. */
const MOMENT_MAX = 8_640_000_000_000_000

/** What is wrong with a value other than null; null where both databases can hold it, and we can count with it. */
const PROBLEMS: Readonly<Record<ColumnKind, (value: string | number) => string | null>> = {
  text: (value) => {
    if (typeof value !== 'string') return 'is no text'
    return value.includes('\0') ? 'has a NUL in it, which PostgreSQL cannot hold' : null
  },
  integer: (value) => outside(value, -INTEGER_MAX, INTEGER_MAX, 'is no whole number below 2^31'),
  bigint: (value) =>
    outside(
      value,
      Number.MIN_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
      'is no whole number below 2^53',
    ),
  moment: (value) =>
    outside(value, MOMENT_MIN, MOMENT_MAX, 'is no moment that both databases know'),
  flag: (value) => outside(value, 0, 1, 'is neither true nor false'),
}

function outside(value: string | number, min: number, max: number, words: string): string | null {
  const isInside = Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
  return isInside ? null : words
}

/**
 * Throws `UnfitRow` where a value is not one that both databases hold exactly. `rowsBefore` is how many rows of the
 * table come before these. The message never has the value, nor an address.
 */
export function refuseUnfit(
  table: CarriedTable,
  rows: readonly CarriedRow[],
  rowsBefore: number,
): void {
  const checks = table.columns.map(({ kind }) => PROBLEMS[kind])
  rows.forEach((row, index) => {
    row.forEach((value, place) => {
      const problem = value === null ? null : checks[place]?.(value)
      if (!problem) return
      const column = table.columns[place]?.name
      throw new UnfitRow(
        `${table.name}.${column} of ${describeRow(table, row, rowsBefore + index + 1)} ${problem}`,
      )
    })
  })
}

/** By its key, unless that has an address. */
function describeRow(table: CarriedTable, row: CarriedRow, number: number): string {
  const { key } = table
  if (key.includes('email')) return `row ${number} in the order of ${key.join(', ')}`
  const values = keyOf(table, row).map((value) => JSON.stringify(value))
  return `the row with ${key.map((name, place) => `${name} ${values[place]}`).join(', ')}`
}

/** Takes rows in the order of their key. */
type RowHash = {
  add(rows: readonly CarriedRow[]): void
  /** Comes once, at the end. */
  digest(): TableDigest
}

/** Each row counts as the line that JSON makes of its values, in the order of the columns. */
export function rowHash(): RowHash {
  const hash = new Bun.CryptoHasher('sha256')
  let count = 0
  return {
    add(rows) {
      count += rows.length
      hash.update(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    },
    digest: () => ({ rows: count, sha256: hash.digest('hex') }),
  }
}
