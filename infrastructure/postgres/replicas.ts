import { GONE_AFTER_MS, type Replica, type Replicas } from '../../application/upkeep/replicas.ts'
import type { PostgresDatabase } from './connection/database.ts'

/**
 * Whoever is gone is forgotten by the next one that says it lives. Rows that another process forgets at this moment are
 * left to it, so that no two ever wait for each other.
 */
const SIGN = `
  WITH gone AS (
    DELETE FROM replicas WHERE id IN (
      SELECT id FROM replicas
      WHERE id <> $1::uuid
        AND seen_at NOT BETWEEN clock_timestamp() - $4::interval AND clock_timestamp() + $4::interval
      FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO replicas (id, version, started_at, seen_at)
  SELECT $1::uuid, $2::text, moment - $3::interval, moment FROM clock_timestamp() AS moment
  ON CONFLICT (id) DO UPDATE
  SET started_at = excluded.started_at, seen_at = excluded.seen_at`

const LEAVE = 'DELETE FROM replicas WHERE id = $1::uuid'

/** A sign from the future was given before the database's clock was set back. */
const FIND_LIVE = `
  SELECT id, version, started_at AS "startedAt" FROM replicas
  WHERE seen_at BETWEEN clock_timestamp() - $1::interval AND clock_timestamp() + $1::interval
  ORDER BY started_at, id`

const GONE_AFTER = `${GONE_AFTER_MS} milliseconds`

/** The processes that serve on the database, as the one of this id and version. */
export function postgresReplicas(
  database: Pick<PostgresDatabase, 'query'>,
  {
    id,
    version,
    monotonicMs,
  }: {
    id: string
    version: string
    /** Milliseconds that pass evenly, even where the clock is set. */
    monotonicMs: () => number
  },
): Replicas {
  const startedAtMs = monotonicMs()
  return {
    async signOfLife() {
      const age = `${Math.round(monotonicMs() - startedAtMs)} milliseconds`
      await database.query(SIGN, [id, version, age, GONE_AFTER])
    },
    async leave() {
      await database.query(LEAVE, [id])
    },
    findLive: () => findLiveReplicas(database),
  }
}

/** Those that serve, for whoever does not serve itself. Throws `Unavailable('storage')`. */
export function findLiveReplicas(
  database: Pick<PostgresDatabase, 'query'>,
): Promise<readonly Replica[]> {
  return database.query<Replica>(FIND_LIVE, [GONE_AFTER])
}
