import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { prepareCommitWatch } from '../../../infrastructure/sqlite/commit-watch.ts'
import { IN_MEMORY, type SqliteDatabase } from '../../../infrastructure/sqlite/database.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Two connections to one file, and what the first one's watch says. */
function open({ seenAt = null }: { seenAt?: string | null } = {}) {
  const path = join(temporaryFolder(), 'alibi.db')
  const [watched, other] = [openTemporaryDatabase(path), openTemporaryDatabase(path)]
  const watch = prepareCommitWatch({ ...watched, path: seenAt ?? path })
  return { watched, other, version: () => watched.read(watch) }
}

function store({ queries, write }: SqliteDatabase, name: string): Promise<unknown> {
  return write(() => queries.$client.run('INSERT INTO log_outs VALUES (?, 1)', [name]))
}

// The index of the log is not found at the second path.
describe.each([
  ['the index of the log', null],
  ['the pragma', IN_MEMORY],
])('the watch on commits, by %s,', (_, seenAt) => {
  test('says the same number while nobody commits, whatever is read', async () => {
    const { watched, other, version } = open({ seenAt })
    const before = await version()
    expect(before).not.toBeNull()
    for (const { queries, read, readTogether } of [watched, other]) {
      const statement = queries.$client.prepare('SELECT * FROM log_outs')
      await read(() => statement.all())
      await readTogether(() => statement.all())
    }
    expect(await version()).toBe(before)
  })

  test('says another number after each commit, be it our own or of another connection', async () => {
    const { watched, other, version } = open({ seenAt })
    const seen = [await version()]
    for (const [index, database] of [watched, other, other, watched, other].entries()) {
      await store(database, `${index}@example.com`)
      seen.push(await version())
    }
    expect(new Set(seen).size).toBe(6)
    expect(await version()).toBe(seen.at(-1)!)
  })

  test('sees a commit of another connection also where we have read or written since', async () => {
    const { watched, other, version } = open({ seenAt })
    const before = await version()
    await store(other, 'a@example.com')
    await watched.read(() => watched.queries.$client.prepare('SELECT * FROM log_outs').all())
    const between = await version()
    expect(between).not.toBe(before)

    await store(other, 'b@example.com')
    await store(watched, 'c@example.com')
    await watched.read(() => watched.queries.$client.prepare('SELECT * FROM log_outs').all())
    expect(await version()).not.toBe(between)
  })

  test('says nothing inside a transaction: what is read there may never be committed', async () => {
    const { watched } = open({ seenAt })
    const watch = prepareCommitWatch(watched)
    const failing = watched.write(() => {
      expect(watch()).toBeNull()
      throw new Error('given up')
    })
    await expect(failing).rejects.toThrow('given up')
    expect(await watched.readTogether(watch)).toBeNull()
  })

  test('says another number where it is not known whether a commit came through', async () => {
    const { watched, version } = open({ seenAt })
    const { $client } = watched.queries
    const before = await version()
    $client.run('PRAGMA defer_foreign_keys = ON')
    $client.run('CREATE TEMP TABLE parents (id INTEGER PRIMARY KEY)')
    $client.run(
      'CREATE TEMP TABLE children (id REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)',
    )
    const failing = watched.write(() => $client.run('INSERT INTO children VALUES (7)'))
    await expect(failing).rejects.toThrow('FOREIGN KEY')
    expect(await version()).not.toBe(before)
  })
})
