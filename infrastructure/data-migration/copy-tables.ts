import type { CopiedTable, CopyProgress, TableDigest } from '../../application/upkeep/reports.ts'
import { refuseUnfit, rowHash } from './carried-rows.ts'
import { CARRIED_TABLES, type CarriedRow, type CarriedTable, keyOf } from './carried-tables.ts'

export type TableReader = {
  /** At most so many rows, in the order of their key: those behind the one with the key `after`; null for the first. */
  readPage(
    table: CarriedTable,
    page: { readonly after: CarriedRow | null; readonly limit: number },
  ): readonly CarriedRow[] | Promise<readonly CarriedRow[]>
}

/** A database as it is at one moment, which no service uses until it is closed. */
export type DataSource = TableReader & {
  /** The highest number that the database has given to a row of the table; 0 where there was none. */
  lastNumber(table: CarriedTable): number | Promise<number>
  /** Throws where a service may have begun to use it. */
  assertUnused(): void | Promise<void>
  close(): void | Promise<void>
}

/**
 * A database without a customer's data, which no service uses until it is closed. Nothing stays in it that is not
 * committed.
 */
export type DataTarget = TableReader & {
  insert(table: CarriedTable, rows: readonly CarriedRow[]): void | Promise<void>
  /** Has the database go on counting the rows of the table behind this number, or behind a higher one that it has. */
  countOn(table: CarriedTable, lastNumber: number): void | Promise<void>
  /** Stores everything durably, and closes it. */
  commit(): void | Promise<void>
  /** Leaves it as it was before, and closes it. Never throws. */
  abandon(): void | Promise<void>
}

const PAGE_ROWS = 5000

/** Somebody asked for an end before there was one. */
class CopyStopped extends Error {
  override readonly name = 'CopyStopped'
}

/**
 * Copies every table, reads the copy back, and compares the two. Nothing is committed here. Throws where the copy is
 * not equal, and `UnfitRow` for a row that the target cannot hold as it is.
 */
export async function copyTables(
  { source, target }: { source: DataSource; target: DataTarget },
  {
    onProgress = () => {},
    stopping,
    pageRows = PAGE_ROWS,
  }: {
    readonly onProgress?: (progress: CopyProgress) => void
    readonly stopping?: AbortSignal
    readonly pageRows?: number
  } = {},
): Promise<readonly CopiedTable[]> {
  const copied: CopiedTable[] = []
  for (const table of CARRIED_TABLES) {
    const original = await copyTable(table)
    const copy = await digestCopy(table)
    if (original.rows !== copy.rows || original.sha256 !== copy.sha256) {
      throw new Error(
        `the copy of ${table.name} differs: ${describe(original)} in the source, ${describe(copy)} in the target`,
      )
    }
    copied.push({ name: table.name, source: original, target: copy })
  }
  return copied

  async function copyTable(table: CarriedTable): Promise<TableDigest> {
    const hash = rowHash()
    let count = 0
    // The next page is read while the last one is on its way.
    let storing: Promise<unknown> = Promise.resolve()
    for await (const rows of pages(source, table)) {
      report({ step: 'copying', table: table.name, rows: count })
      refuseUnfit(table, rows, count)
      await storing
      storing = Promise.resolve(target.insert(table, rows))
      // Awaited before the next page; until then it is no error that nobody handles.
      storing.catch(() => {})
      hash.add(rows)
      count += rows.length
    }
    await storing
    if (table.hasCountedKey) await target.countOn(table, await source.lastNumber(table))
    return hash.digest()
  }

  async function digestCopy(table: CarriedTable): Promise<TableDigest> {
    const hash = rowHash()
    let count = 0
    for await (const rows of pages(target, table)) {
      report({ step: 'comparing', table: table.name, rows: count })
      hash.add(rows)
      count += rows.length
    }
    return hash.digest()
  }

  function report(progress: CopyProgress): void {
    if (stopping?.aborted) throw new CopyStopped('it was stopped before the end')
    onProgress(progress)
  }

  async function* pages(
    reader: TableReader,
    table: CarriedTable,
  ): AsyncGenerator<readonly CarriedRow[]> {
    for (let after: CarriedRow | null = null; ; ) {
      const rows: readonly CarriedRow[] = await reader.readPage(table, { after, limit: pageRows })
      const last = rows.at(-1)
      if (!last) return
      yield rows
      if (rows.length < pageRows) return
      after = keyOf(table, last)
      // Where neither database is waited for, signals and timers still have their turn.
      await Bun.sleep(0)
    }
  }
}

function describe({ rows, sha256 }: TableDigest): string {
  return `${rows} rows with the checksum ${sha256}`
}
