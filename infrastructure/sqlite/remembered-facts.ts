import type { MaybePromise } from '../../application/maybe-promise.ts'
import { recentEntries } from '../recent-entries.ts'
import { prepareCommitWatch } from './commit-watch.ts'
import type { SqliteDatabase } from './database.ts'

// Why: docs/decisions.md#facts-are-remembered-until-somebody-commits
/**
 * Gives what was read under a key before, as long as nobody has committed anything since, which is checked at each
 * call. What is not there is read, in one `read` of the database, and remembered unless it is null.
 */
export function rememberUntilCommit<Facts>(
  database: Pick<SqliteDatabase, 'path' | 'queries' | 'commits' | 'read' | 'isUsable'>,
  bounds: {
    /** In bytes, for all that is remembered. */
    readonly sizeMax: number
    readonly sizeOf: (key: string, facts: Facts) => number
  },
): <Read extends Facts | null>(key: string, find: () => Read) => MaybePromise<Facts | Read> {
  const currentVersion = prepareCommitWatch(database)
  let remembered = recentEntries(bounds)
  let version: number | null = null

  /** Null for what has to be read, also where the database cannot say now whether it still holds. */
  function recall(key: string): Facts | null {
    if (!database.isUsable()) return null
    try {
      const versionNow = currentVersion()
      return versionNow !== null && versionNow === version ? remembered.find(key) : null
    } catch {
      return null
    }
  }

  function read<Read extends Facts | null>(key: string, find: () => Read): Read {
    const versionNow = currentVersion()
    const facts = find()
    if (versionNow === null) return facts
    if (versionNow !== version) {
      remembered = recentEntries(bounds)
      version = versionNow
    }
    if (facts !== null) remembered.keep(key, facts)
    return facts
  }

  return (key, find) => recall(key) ?? database.read(() => read(key, find))
}
