import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../application/unavailable.ts'
import { DatabaseFilesReplaced } from '../../../infrastructure/sqlite/files.ts'
import { livenessCheck } from '../../../interfaces/composition/serve-sqlite.ts'
import { memoryStore } from '../../support/stores/memory-store.ts'

/** The liveness of a service whose database fails with this code of SQLite's. */
function livenessAt(code: string): Promise<void> {
  return livenessAfter(Object.assign(new Error('the reason'), { name: 'SQLiteError', code }))
}

function livenessAfter(cause: Error): Promise<void> {
  const { databaseHealth } = memoryStore()
  const check = livenessCheck({
    databaseHealth: {
      ...databaseHealth,
      async check() {
        throw new Unavailable('storage', { cause })
      },
    },
  })
  return check()
}

describe('a service is not alive', () => {
  test.each(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_IOERR_READ', ''])(
    'when its database fails with %p, so that a new start may help',
    async (code) => {
      await expect(livenessAt(code)).rejects.toThrow('storage unavailable')
    },
  )
})

describe('a service is alive', () => {
  test('when its database answers', async () => {
    const { databaseHealth } = memoryStore()
    expect(await livenessCheck({ databaseHealth })()).toBeUndefined()
  })

  test.each(['SQLITE_BUSY', 'SQLITE_BUSY_RECOVERY'])(
    'when another process keeps its database from answering (%p), which no start would mend',
    async (code) => {
      expect(await livenessAt(code)).toBeUndefined()
    },
  )

  test('when its files were taken away, which a new start would only make worse', async () => {
    expect(await livenessAfter(new DatabaseFilesReplaced('gone'))).toBeUndefined()
  })
})
