import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { GROUP_MAX } from '../../../infrastructure/sqlite/group-commit.ts'
import { turn } from '../../support/stopped-timers.ts'
import { spoilTable } from '../../support/stores/database-faults.ts'
import { expectOutage } from '../../support/stores/every-method.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { IS_WHOLE } from '../../support/thoroughness.ts'

/** A table of numbers, in the order of their writing, with room for a text that fits into no page. */
function openNumbers(options: Parameters<typeof openTemporaryDatabase>[1] = {}) {
  const path = join(temporaryFolder(), 'alibi.db')
  const database = openTemporaryDatabase(path, options)
  const client = database.queries.$client
  client.run('CREATE TABLE numbers (number INTEGER NOT NULL, text TEXT NOT NULL) STRICT')
  const other = new Database(path)
  const insert = client.prepare('INSERT INTO numbers VALUES (?, ?)')
  const startedAt = database.commits()
  return {
    path,
    database,
    client,
    other,
    insert: (number: number, text = '') => void insert.run(number, text),
    /** As another process sees them. */
    stored: () => other.query('SELECT number FROM numbers ORDER BY rowid').values().flat(),
    transactions: () => (database.commits() - startedAt) / 2,
  }
}

type Numbers = ReturnType<typeof openNumbers>

function writeAll({ database, insert }: Numbers, count: number): Promise<number>[] {
  return Array.from({ length: count }, (_, number) =>
    database.write(() => {
      insert(number)
      return number
    }),
  )
}

/** Leaves no room for another page. Returns what makes room again. */
function fillUp({ client }: Numbers): () => void {
  const [[pages] = []] = client.query('PRAGMA page_count').values()
  client.run(`PRAGMA max_page_count = ${pages}`)
  return () => client.run('PRAGMA max_page_count = 1000000')
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('writes that come in one turn', () => {
  test('share a commit, one after the other, and are answered once it is durable', async () => {
    const numbers = openNumbers()
    const { stored, transactions } = numbers
    const seen: unknown[] = []

    const writes = writeAll(numbers, 64)
    for (const write of writes) void write.then(() => seen.push(stored().length))
    expect(stored()).toEqual([])
    expect(await Promise.all(writes)).toEqual(range(64))

    expect(transactions()).toBe(1)
    expect(stored()).toEqual(range(64))
    expect(seen).toEqual(range(64).map(() => 64))
  })

  test('see what those before them have stored', async () => {
    const { database, client, insert } = openNumbers()
    const count = client.prepare('SELECT count(*) FROM numbers')
    const counts = range(3).map((number) =>
      database.write(() => {
        insert(number)
        return count.values()[0]?.[0]
      }),
    )
    expect(await Promise.all(counts)).toEqual([1, 2, 3])
  })

  test('are too many for one commit past a number, and keep their order', async () => {
    const numbers = openNumbers()

    await Promise.all(writeAll(numbers, 2 * GROUP_MAX + 1))
    expect(numbers.transactions()).toBe(3)
    expect(numbers.stored()).toEqual(range(2 * GROUP_MAX + 1))
  })

  test('take no more than the turn, so that a lone one waits for nobody and for no timer', async () => {
    const numbers = openNumbers()
    const answered: number[] = []

    for (const write of writeAll(numbers, 1)) void write.then((number) => answered.push(number))
    await turn()
    await turn()
    expect(answered).toEqual([0])
  })
})

describe('a write that fails', () => {
  test('gets its own error, leaves no trace, and costs the others of its group nothing', async () => {
    const numbers = openNumbers()
    const { database, insert, stored, transactions } = numbers
    const refusal = new Error('refused')

    const before = database.write(() => insert(1))
    const refused = database.write(() => {
      insert(2)
      throw refusal
    })
    const after = database.write(() => insert(3))

    await expect(refused).rejects.toBe(refusal)
    await Promise.all([before, after])
    expect(stored()).toEqual([1, 3])
    expect(transactions()).toBe(1)
  })

  test('makes no commit by itself', async () => {
    const { database, insert, other } = openNumbers()
    const version = () => other.query('PRAGMA data_version').values()
    const before = version()

    const refused = database.write(() => {
      insert(1)
      throw new Error('refused')
    })
    await expect(refused).rejects.toThrow('refused')
    expect(version()).toEqual(before)
  })

  test('because SQLite ended the whole transaction costs the others a transaction of their own', async () => {
    const numbers = openNumbers()
    const { database, client, insert, stored, transactions } = numbers
    const makeRoom = fillUp(numbers)

    const before = database.write(() => insert(1))
    const refused = database.write(() => {
      throw new Error('refused')
    })
    const poisoned = database.write(() => insert(2, 'x'.repeat(100_000)))
    const after = database.write(() => insert(3))

    expect(await expectOutage(poisoned)).toBe('SQLITE_FULL')
    await expect(refused).rejects.toThrow('refused')
    await Promise.all([before, after])
    expect(stored()).toEqual([1, 3])
    expect(transactions()).toBe(4)
    expect(client.inTransaction).toBe(false)
    makeRoom()
  })

  test('on damage ends its whole group, and all that comes later', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    openTemporaryDatabase(path).close()
    const { queries, write } = openTemporaryDatabase(path)
    spoilTable(path, 'log_outs')
    const forget = (table: string) => write(() => queries.$client.run(`DELETE FROM ${table}`))

    const ends = await Promise.all(['sweeps', 'log_outs', 'sweeps'].map(forget).map(expectOutage))
    expect(ends).toEqual(Array(3).fill('SQLITE_CORRUPT'))
    expect(await expectOutage(forget('sweeps'))).toBe('SQLITE_CORRUPT')
  })
})

describe('a group whose commit fails', () => {
  test('is over for all of them, even where the report of a damage fails as well', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    openTemporaryDatabase(path).close()
    const { queries, write } = openTemporaryDatabase(path, {
      onDamaged() {
        throw new Error('not reported')
      },
    })
    spoilTable(path, 'log_outs')
    const forget = (table: string) => write(() => queries.$client.run(`DELETE FROM ${table}`))

    const ends = await Promise.allSettled(['sweeps', 'log_outs'].map(forget))
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await expectOutage(forget('sweeps'))).toBe('SQLITE_CORRUPT')
  })

  test('is stored by none of them, and none is told that it was', async () => {
    const { database, client, insert, stored } = openNumbers()
    client.run('CREATE TABLE names (name TEXT NOT NULL PRIMARY KEY) STRICT')
    client.run('CREATE TABLE ties (name TEXT REFERENCES names DEFERRABLE INITIALLY DEFERRED)')

    const ends = await Promise.allSettled([
      database.write(() => insert(1)),
      database.write(() => client.run("INSERT INTO ties VALUES ('missing at the commit')")),
      database.write(() => {
        throw new Error('refused because of what is not stored now')
      }),
    ])
    const reasons = ends.map((end) => end.status === 'rejected' && String(end.reason))
    expect(reasons).toEqual(Array(3).fill(expect.stringContaining('FOREIGN KEY')))
    expect(stored()).toEqual([])

    await database.write(() => insert(2))
    expect(stored()).toEqual([2])
  })

  test('because the files are no longer in place is unavailable to all of them', async () => {
    const numbers = openNumbers()
    renameSync(numbers.path, `${numbers.path}.gone`)

    const ends = await Promise.all(writeAll(numbers, 3).map(expectOutage))
    expect(ends).toEqual(Array(3).fill('DatabaseFilesReplaced'))
    expect(numbers.client.query('SELECT * FROM numbers').all()).toEqual([])
    expect(numbers.database.lastWriteFailed()).toBe(true)
  })
})

describe('writes that find the lock taken by another process', () => {
  test('wait for it together with those that come meanwhile, and then share a commit', async () => {
    const numbers = openNumbers()
    const { database, client, insert, other, stored, transactions } = numbers
    other.run('BEGIN IMMEDIATE')

    const early = database.write(() => insert(1))
    await turn()
    await turn()
    const late = database.write(() => insert(2))
    expect(await database.read(() => client.query('SELECT * FROM numbers').all())).toEqual([])
    const tries = transactions()
    other.run('COMMIT')
    await Promise.all([early, late])

    expect(stored()).toEqual([1, 2])
    expect(transactions()).toBe(tries + 1)
  })

  test('wait for it as long as each of them says', async () => {
    const { database, insert, other, stored } = openNumbers()
    other.run('BEGIN IMMEDIATE')

    const patient = database.write(() => insert(1))
    const impatient = database.write(() => insert(2), { busyTimeoutMs: 0 })
    expect(await expectOutage(impatient)).toBe('SQLITE_BUSY')
    other.run('COMMIT')
    await patient
    expect(stored()).toEqual([1])
  })

  test('are all over once they have waited for long enough, however many they are', async () => {
    const numbers = openNumbers({ busyTimeoutMs: 0 })
    numbers.other.run('BEGIN IMMEDIATE')

    const ends = await Promise.all(writeAll(numbers, 3 * GROUP_MAX).map(expectOutage))
    expect(new Set(ends)).toEqual(new Set(['SQLITE_BUSY']))
    expect(numbers.transactions()).toBe(1)
  })
})

describe('a database that is closed while writes are queued', () => {
  test('commits them first', async () => {
    const numbers = openNumbers()

    const writes = writeAll(numbers, 2 * GROUP_MAX)
    numbers.database.close()
    expect(numbers.stored()).toEqual(range(2 * GROUP_MAX))
    await Promise.all(writes)
  })

  test('rejects them where another process is in the way, and waits for nobody', async () => {
    const numbers = openNumbers()
    numbers.other.run('BEGIN IMMEDIATE')

    const ends = writeAll(numbers, 3).map(expectOutage)
    await turn()
    numbers.database.close()
    expect(await Promise.all(ends)).toEqual(Array(3).fill('SQLITE_BUSY'))
    expect(await Promise.all(writeAll(numbers, 1).map(expectOutage))).toEqual([null])
  })
})

/** Writes its number, and then may throw, or need room that is not there. `isLast` ends the turn. */
const step = fc.record({
  end: fc.constantFrom('stored', 'stored', 'stored', 'refused', 'full'),
  isLast: fc.boolean(),
})

test('whatever comes in whatever turns, each is stored or not as if it had come alone', async () => {
  const numbers = openNumbers()
  const { database, client, insert, stored } = numbers

  async function write(number: number, end: string): Promise<string> {
    const written = database.write(() => {
      insert(number, end === 'full' ? 'x'.repeat(100_000) : '')
      if (end === 'refused') throw new Error('refused')
      return 'stored'
    })
    return written.catch((error) => (error.message === 'refused' ? 'refused' : error.cause.code))
  }

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      client.run('DELETE FROM numbers')
      const makeRoom = fillUp(numbers)
      const ends: Promise<string>[] = []
      for (const [number, { end, isLast }] of steps.entries()) {
        ends.push(write(number, end))
        if (isLast) await turn()
      }
      const expected = steps.map(({ end }) => (end === 'full' ? 'SQLITE_FULL' : end))
      expect(await Promise.all(ends)).toEqual(expected)
      expect(stored()).toEqual(range(steps.length).filter((index) => expected[index] === 'stored'))
      makeRoom()
    }),
    { numRuns: IS_WHOLE ? 1000 : 100 },
  )
})
