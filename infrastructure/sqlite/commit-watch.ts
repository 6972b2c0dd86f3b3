import type { SqliteDatabase } from './database.ts'
import { type WalIndexWatch, watchWalIndex } from './wal-index.ts'

/**
 * For use inside a read: a number that is another one whenever anybody may have committed since. Whoever reads the
 * database only after it, and finds the same number later, would read the same again. Null inside a transaction, whose
 * reading may be of what is never committed. Throws as any reading does where it has to ask the database.
 */
export function prepareCommitWatch({
  path,
  queries,
  commits,
}: Pick<SqliteDatabase, 'path' | 'queries' | 'commits'>): () => number | null {
  const client = queries.$client
  const hasChanged = watchWalIndex(path) ?? watchDataVersion(client)
  let version = 0
  let byUs = 0

  return () => {
    if (client.inTransaction) return null
    const oursNow = commits()
    if (hasChanged() || oursNow !== byUs) version++
    byUs = oursNow
    return version
  }
}

/**
 * By the number that is another one once another connection has committed
 * (https://www.sqlite.org/pragma.html#pragma_data_version): SQLite drops its own cache of pages then.
 */
function watchDataVersion(client: SqliteDatabase['queries']['$client']): WalIndexWatch {
  const select = client.prepare<{ data_version: number }, []>('PRAGMA data_version')
  let known: number | undefined
  return () => {
    const now = select.get()?.data_version
    const isChanged = now !== known
    known = now
    return isChanged
  }
}
