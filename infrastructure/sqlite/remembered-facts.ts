import { onFirstUse } from '../../application/first-use.ts'
import { recentEntries } from '../recent-entries.ts'
import { prepareCommitWatch } from './commit-watch.ts'
import type { SqliteDatabase } from './database.ts'

/** What was read under a key before, as long as nobody has committed anything since, which is checked at each call. */
type Remembered<Facts> = {
  /** Null for what has to be read, also where the database cannot say now whether it still holds. */
  recall(key: string): Facts | null
  /** As `recall`, or what is read in one `read` of the database, which is remembered unless it is null. */
  find<Read extends Facts | null>(key: string, read: () => Read): Promise<Facts | Read>
}

// Why: docs/decisions.md#facts-are-remembered-until-somebody-commits
/** Prepares its statements with the first read. */
export function rememberUntilCommit<Facts>(
  database: Pick<SqliteDatabase, 'path' | 'queries' | 'commits' | 'read' | 'isUsable'>,
  bounds: {
    /** In bytes, for all that is remembered. */
    readonly sizeMax: number
    readonly sizeOf: (key: string, facts: Facts) => number
  },
): Remembered<Facts> {
  const watch = onFirstUse(() => prepareCommitWatch(database))
  let remembered = recentEntries(bounds)
  let version: number | null = null

  function recall(key: string): Facts | null {
    if (version === null || !database.isUsable()) return null
    try {
      return watch()() === version ? remembered.find(key) : null
    } catch {
      return null
    }
  }

  function remember<Read extends Facts | null>(key: string, read: () => Read): Read {
    const versionNow = watch()()
    const facts = read()
    if (versionNow === null) return facts
    if (versionNow !== version) {
      remembered = recentEntries(bounds)
      version = versionNow
    }
    if (facts !== null) remembered.keep(key, facts)
    return facts
  }

  return {
    recall,
    find: async (key, read) => recall(key) ?? database.read(() => remember(key, read)),
  }
}
