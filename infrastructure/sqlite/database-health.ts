import { type BigIntStats, statSync } from 'node:fs'
import type { DatabaseHealth } from '../../application/store.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { IN_MEMORY, type SqliteDatabase } from './database.ts'
import { translateFileOutage } from './storage-outage.ts'

/** Answers for the file too: SQLite goes on writing into a file that was deleted or replaced, and nobody reads that. */
export function sqliteDatabaseHealth({ path, queries, read }: SqliteDatabase): DatabaseHealth {
  const select = queries.$client.prepare('SELECT count(*) FROM schema_migrations')
  const opened = findFile(path)

  return {
    check: async () =>
      read(() => {
        select.get()
        if (!isSameFile(opened, findFile(path))) {
          throw new Unavailable('storage', { cause: new Error(`${path} is another file now`) })
        }
      }),
  }
}

function findFile(path: string): BigIntStats | undefined {
  if (path === IN_MEMORY) return undefined
  return translateFileOutage(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
}

function isSameFile(left: BigIntStats | undefined, right: BigIntStats | undefined): boolean {
  return left?.ino === right?.ino && left?.dev === right?.dev
}
