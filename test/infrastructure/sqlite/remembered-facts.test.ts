import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { rememberUntilCommit } from '../../../infrastructure/sqlite/remembered-facts.ts'
import { expectOutage } from '../../support/stores/every-method.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Two connections to one file, and a memory of the first, with room for three entries. */
function open() {
  const path = join(temporaryFolder(), 'alibi.db')
  const [database, other] = [openTemporaryDatabase(path), openTemporaryDatabase(path)]
  const remembered = rememberUntilCommit<string>(database, { sizeMax: 3, sizeOf: () => 1 })
  const readings: string[] = []
  const find = async (key: string, found: string | null = `of ${key}`) =>
    remembered.find(key, () => {
      readings.push(key)
      return found
    })
  return { database, other, readings, find, recall: remembered.recall }
}

const commit = ({ queries, write }: ReturnType<typeof openTemporaryDatabase>) =>
  write(() => queries.$client.run('INSERT INTO log_outs VALUES (hex(randomblob(8)), 1)'))

describe('what is remembered until a commit', () => {
  test('is read once, and each key has its own', async () => {
    const { find, readings } = open()
    for (let times = 0; times < 3; times++) {
      expect(await find('a')).toBe('of a')
      expect(await find('b')).toBe('of b')
    }
    expect(readings).toEqual(['a', 'b'])
  })

  test('is recalled without a read, and only after one', async () => {
    const { database, find, recall } = open()
    expect(recall('a')).toBeNull()
    await find('a')
    expect(recall('a')).toBe('of a')
    expect(recall('b')).toBeNull()
    await commit(database)
    expect(recall('a')).toBeNull()
    await find('a')
    database.close()
    expect(recall('a')).toBeNull()
  })

  test('is read again after a commit, be it our own or of another connection', async () => {
    const { database, other, find, readings } = open()
    await find('a', 'first')
    await commit(database)
    expect(await find('a', 'second')).toBe('second')
    await commit(other)
    expect(await find('a', 'third')).toBe('third')
    expect(await find('a', 'fourth')).toBe('third')
    expect(readings).toHaveLength(3)
  })

  test('is not what was read in a transaction, which may never be committed', async () => {
    const { database, find } = open()
    expect(await find('a', 'before')).toBe('before')
    let within: Promise<string | null> | null = null
    const failing = database.write(() => {
      within = find('a', 'within')
      throw new Error('given up')
    })
    await expect(failing).rejects.toThrow('given up')
    expect(await within!).toBe('within')
    expect(await find('a', 'after')).not.toBe('within')
  })

  test('is not given once the database is closed', async () => {
    const { database, find, readings } = open()
    await find('a')
    database.close()
    expect(await expectOutage(find('a'))).toBeNull()
    expect(readings).toEqual(['a'])
  })

  test('is not that there was nothing', async () => {
    const { find, readings } = open()
    expect(await find('a', null)).toBeNull()
    expect(await find('a')).toBe('of a')
    expect(readings).toHaveLength(2)
  })

  test('is no more than there is room for', async () => {
    const { find, readings } = open()
    for (const key of ['a', 'b', 'c', 'd']) await find(key)
    readings.length = 0
    for (const key of ['d', 'c', 'b', 'a']) await find(key)
    expect(readings).toEqual(['a'])
  })
})
