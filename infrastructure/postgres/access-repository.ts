import type { AccessFacts, AccessRepository } from '../../application/access-repository.ts'
import type { PostgresDatabase } from './connection/database.ts'
import type { TimeBudget } from './connection/time-budget.ts'
import {
  type AccessRow,
  type Asked,
  bindAccess,
  SELECT_ACCESS,
  toAccessFacts,
} from './find-access.ts'
import { shareRoundTrips } from './shared-round-trips.ts'

const ADDRESSES_AT_ONCE = 256
const ROUND_TRIPS_MAX = 2

// Why: docs/decisions.md#on-postgresql-facts-are-read-each-time
/** Reads the facts at each call. Calls that come while others are under way share a round trip. */
export function postgresAccessRepository(
  { query }: PostgresDatabase,
  { budget }: { budget: Pick<TimeBudget, 'begin'> },
): AccessRepository {
  async function find(asked: readonly Asked[]): Promise<readonly AccessFacts[]> {
    return (await query<AccessRow>(SELECT_ACCESS, bindAccess(asked))).map(toAccessFacts)
  }

  const findShared = shareRoundTrips({
    run: find,
    itemsMax: ADDRESSES_AT_ONCE,
    inFlightMax: ROUND_TRIPS_MAX,
    budget,
  })
  return { findByEmail: (email, digests) => findShared({ email, digests: digests() }) }
}
