import type { SqliteDatabase } from './database.ts'

/**
 * For use inside a read: a number that is another one whenever anybody may have committed since. Whoever reads the
 * database only after it, and finds the same number later, would read the same again. Null inside a transaction, whose
 * reading may be of what is never committed. Throws as any reading does.
 */
export function prepareCommitWatch({
  queries,
  commits,
}: Pick<SqliteDatabase, 'queries' | 'commits'>): () => number | null {
  const client = queries.$client
  // Another number once another connection has committed (https://www.sqlite.org/pragma.html#pragma_data_version):
  // SQLite drops its own cache of pages then. Our own commits do not change it.
  const dataVersion = client.prepare<{ data_version: number }, []>('PRAGMA data_version')
  let version = 0
  let byOthers: number | undefined
  let byUs = 0

  return () => {
    if (client.inTransaction) return null
    const othersNow = dataVersion.get()?.data_version
    const oursNow = commits()
    if (othersNow !== byOthers || oursNow !== byUs) version++
    byOthers = othersNow
    byUs = oursNow
    return version
  }
}
