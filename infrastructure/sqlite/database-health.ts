import { dirname } from 'node:path'
import { sql } from 'drizzle-orm'
import { onFirstUse } from '../../application/first-use.ts'
import type { DatabaseHealth } from '../../application/store.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { IN_MEMORY, type SqliteDatabase } from './database.ts'
import { freeBytesOf } from './files.ts'
import { heartbeat } from './schema.ts'
import { translateFileOutage } from './storage-outage.ts'

/** Room for some hours of business: time for an operator to free more. */
const FREE_BYTES_MIN = 16 * 1024 * 1024

/** Shorter than other writes wait: a caller that asks for the health has a time limit, too. */
const COMMIT_TIMEOUT_MS = 2000

/** Also checks that the files were not deleted or replaced, and that their disk has room. */
export function sqliteDatabaseHealth(database: SqliteDatabase): DatabaseHealth {
  const { path, queries, read, write, assertFilesInPlace, lastWriteFailed } = database
  const select = onFirstUse(() => queries.$client.prepare('SELECT count(*) FROM schema_migrations'))
  const beat = onFirstUse(() => {
    const at = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`
    return queries
      .insert(heartbeat)
      .values({ id: 1, at })
      .onConflictDoUpdate({ target: heartbeat.id, set: { at } })
      .prepare()
  })

  async function check(): Promise<void> {
    await read(() => select().get())
    assertFilesInPlace()
  }

  return {
    check,
    async checkWritable() {
      await check()
      if (path !== IN_MEMORY) refuseFullDisk(dirname(path))
      await write(() => beat().run(), { busyTimeoutMs: COMMIT_TIMEOUT_MS })
    },
    lastWriteFailed,
  }
}

/** Checked separately: a commit may still find room in the log where the next one does not. */
function refuseFullDisk(folder: string): void {
  const free = translateFileOutage(() => freeBytesOf(folder))
  if (free >= FREE_BYTES_MIN) return
  const [left, needed] = [free, FREE_BYTES_MIN].map((bytes) => Math.floor(bytes / 1024 / 1024))
  const cause = new Error(`the disk is full: ${left} MiB left in ${folder}, ${needed} are needed`)
  throw new Unavailable('storage', { cause })
}
