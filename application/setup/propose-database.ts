const DEFAULT_PATH = './data/alibi.db'
const SQLITE = /^sqlite:(.*)\.db$/

/**
 * The DATABASE_URL that goes with a key of the other mode, so that test purchases never count as sales, nor sales as
 * tests; null where the database is as it should be, where it is a PostgreSQL, and where the mode has not changed.
 */
export function proposeDatabase({
  databaseUrl,
  isLive,
  wasLive,
}: {
  /** Null where it is not set. */
  databaseUrl: string | null
  isLive: boolean
  /** The mode of the key that is there; null where there is none yet. */
  wasLive: boolean | null
}): string | null {
  if (wasLive === isLive) return null
  const [, path] = SQLITE.exec(databaseUrl ?? `sqlite:${DEFAULT_PATH}`) ?? []
  if (path === undefined) return null
  const isForTests = path.endsWith('-test')
  if (isLive) return isForTests ? `sqlite:${path.slice(0, -'-test'.length)}.db` : null
  return isForTests ? null : `sqlite:${path}-test.db`
}
