import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Unavailable } from '../../../application/unavailable.ts'
import { tryServingLock } from '../../../infrastructure/sqlite/serving-lock.ts'
import { lockFileBeside } from '../../../infrastructure/sqlite/serving-lock-file.ts'
import { openSqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const WAYS = [
  ['the file of the database', (path: string) => tryServingLock(path)],
  ['a file beside it', (path: string) => tryServingLock(path, [failing, lockFileBeside])],
] as const

function failing(): never {
  throw new Error('libc cannot be called')
}

describe.each(WAYS)('the lock of the service, on %s', (_, lock) => {
  test('is held once, and again after it was released', () => {
    const path = join(temporaryFolder(), 'new', 'alibi.db')
    const first = lock(path)
    expect(first).not.toBeNull()
    expect(lock(path)).toBeNull()
    first?.release()
    expect(readdirSync(join(path, '..'))).toEqual(['alibi.db'])
    const second = lock(path)
    expect(second).not.toBeNull()
    second?.release()
  })

  test('is the same through a link', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'alibi.db')
    const held = lock(path)
    symlinkSync(path, join(folder, 'link.db'))
    expect(lock(join(folder, 'link.db'))).toBeNull()
    held?.release()
  })

  test('lets its holder and others use the database', () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const held = lock(path)
    const [own, others] = [openSqliteStore(path), openSqliteStore(path)]
    own.close()
    others.close()
    held?.release()
  })

  test('throws an outage where there can be no file', () => {
    expect(() => lock('/dev/null/alibi.db')).toThrow(Unavailable)
  })
})

test('a file that took the place of the locked one has a lock of its own', () => {
  const path = join(temporaryFolder(), 'alibi.db')
  const held = tryServingLock(path)
  renameSync(path, `${path}.old`)
  expect(held?.isInPlace()).toBe(false)
  const other = tryServingLock(path)
  expect(other?.isInPlace()).toBe(true)
  expect(other).not.toBeNull()
  expect(statSync(path).ino).not.toBe(statSync(`${path}.old`).ino)
  held?.release()
  other?.release()
})

test('where no way works, the last one says what is to be done', () => {
  const path = join(temporaryFolder(), 'alibi.db')
  mkdirSync(`${path}-serving`)
  const refused = () => tryServingLock(path, [failing, lockFileBeside])
  expect(refused).toThrow(`${path}-serving is not a file: remove it`)
})
