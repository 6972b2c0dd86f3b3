import { describe, expect, test } from 'bun:test'
import {
  type CarriedRow,
  type CarriedTable,
  keyOf,
} from '../../../infrastructure/data-migration/carried-tables.ts'
import {
  copyTables,
  type DataSource,
  type DataTarget,
} from '../../../infrastructure/data-migration/copy-tables.ts'

/** Databases in memory. Rows are kept in the order in which they come, which is that of their key. */
function memoryEnds(rows: Readonly<Record<string, readonly CarriedRow[]>>) {
  const stored = new Map<string, CarriedRow[]>()
  const pages: string[] = []
  const read = (
    all: readonly CarriedRow[],
    table: CarriedTable,
    { after, limit }: { after: CarriedRow | null; limit: number },
  ) => {
    const key = JSON.stringify(after)
    const from = all.findIndex((row) => JSON.stringify(keyOf(table, row)) === key) + 1
    return all.slice(from, from + limit)
  }
  const source: DataSource = {
    readPage(table, page) {
      const found = read(rows[table.name] ?? [], table, page)
      if (found.length > 0) pages.push(`${table.name} ${found.length}`)
      return found
    },
    lastNumber: () => 41,
    assertUnused() {},
    close() {},
  }
  const counted: Record<string, number> = {}
  const target: DataTarget = {
    readPage: (table, page) => read(stored.get(table.name) ?? [], table, page),
    insert(table, more) {
      stored.set(table.name, [...(stored.get(table.name) ?? []), ...more])
    },
    countOn(table, lastNumber) {
      counted[table.name] = lastNumber
    },
    commit() {},
    abandon() {},
  }
  return { source, target, stored, pages, counted }
}

const LOG_OUTS: CarriedRow[] = ['a', 'b', 'c', 'd', 'e'].map((email, epoch) => [email, epoch])

describe('copyTables', () => {
  test('copies page after page, and reports each table with its rows', async () => {
    const ends = memoryEnds({ log_outs: LOG_OUTS })
    const copied = await copyTables(ends, { pageRows: 2 })
    expect(ends.stored.get('log_outs')).toEqual(LOG_OUTS)
    expect(ends.pages).toEqual(['log_outs 2', 'log_outs 2', 'log_outs 1'])
    const { source, target } = copied.find(({ name }) => name === 'log_outs')!
    expect(source.rows).toBe(5)
    expect(target).toEqual(source)
  })

  test('has the target count on from the last number of the source', async () => {
    const ends = memoryEnds({})
    await copyTables(ends)
    expect(ends.counted).toEqual({ audit_entries: 41, service_mails: 41 })
  })

  test.each([
    ['another value', (rows: CarriedRow[]) => void rows.splice(1, 1, ['b', 7])],
    ['a row less', (rows: CarriedRow[]) => void rows.pop()],
    ['a row more', (rows: CarriedRow[]) => void rows.push(['f', 5])],
    ['another order', (rows: CarriedRow[]) => void rows.reverse()],
  ])('fails where the copy has %s', async (_, spoil) => {
    const ends = memoryEnds({ log_outs: LOG_OUTS })
    const { insert } = ends.target
    const target: DataTarget = {
      ...ends.target,
      async insert(table, rows) {
        await insert(table, rows)
        spoil(ends.stored.get(table.name) ?? [])
      },
    }
    await expect(copyTables({ ...ends, target })).rejects.toThrow('the copy of log_outs differs')
  })

  test('fails where the target takes the last page no more', async () => {
    const ends = memoryEnds({ log_outs: LOG_OUTS })
    const target: DataTarget = {
      ...ends.target,
      insert: () => Promise.reject(new Error('disk full')),
    }
    await expect(copyTables({ ...ends, target })).rejects.toThrow('disk full')
  })

  test('stops when it is asked to', async () => {
    const ends = memoryEnds({ log_outs: LOG_OUTS })
    const controller = new AbortController()
    const copying = copyTables(ends, {
      pageRows: 2,
      stopping: controller.signal,
      onProgress: () => controller.abort(),
    })
    await expect(copying).rejects.toThrow('it was stopped before the end')
    expect(ends.stored.get('log_outs')?.length).toBeLessThan(5)
  })
})
