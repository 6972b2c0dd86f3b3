import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../application/unavailable.ts'
import { FilesAreGone } from '../../../infrastructure/sqlite/files.ts'
import { composeSoundness } from '../../../interfaces/composition/compose-supervision.ts'
import { memoryStore } from '../../support/stores/memory-store.ts'

/** The soundness of a service whose database fails with this code of SQLite's. */
function soundnessAt(code: string): Promise<void> {
  return soundnessAfter(Object.assign(new Error('the reason'), { name: 'SQLiteError', code }))
}

function soundnessAfter(cause: Error): Promise<void> {
  const { databaseHealth } = memoryStore()
  const check = composeSoundness({
    databaseHealth: {
      ...databaseHealth,
      async check() {
        throw new Unavailable('storage', { cause })
      },
    },
  })
  return check()
}

describe('a service is unsound', () => {
  test.each(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_IOERR_READ', ''])(
    'when its database fails with %p, so that a new start may help',
    async (code) => {
      await expect(soundnessAt(code)).rejects.toThrow('storage unavailable')
    },
  )
})

describe('a service is sound', () => {
  test('when its database answers', async () => {
    const { databaseHealth } = memoryStore()
    expect(await composeSoundness({ databaseHealth })()).toBeUndefined()
  })

  test.each(['SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY'])(
    'when another process keeps its database from answering (%p), which no start would mend',
    async (code) => {
      expect(await soundnessAt(code)).toBeUndefined()
    },
  )

  test('when its files were taken away, which a new start would only make worse', async () => {
    expect(await soundnessAfter(new FilesAreGone('gone'))).toBeUndefined()
  })
})
