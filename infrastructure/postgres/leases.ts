import { LEASE_MS, type Lease } from '../../application/upkeep/lease-leadership.ts'
import type { PostgresDatabase } from './connection/database.ts'

/** The name of the only lease there is so far. */
const BACKGROUND = 'background'

/**
 * Whoever has the row until `expires_at` has the lease. The row is taken where nobody has it: a statement that waited
 * for another one judges again by what that one left, at the moment when it gets the row. A row that lasts longer than
 * any lease lasts was written by a clock that has been set back; it is cut to the length of a lease, so that its holder
 * learns of it before anybody takes it. A statement that finds the row taken when it begins writes nothing.
 */
const TAKE = `
  INSERT INTO leases AS lease (name, holder, expires_at)
  SELECT $1::text, $2::uuid, clock_timestamp() + $3::interval
  WHERE NOT EXISTS (
    SELECT FROM leases
    WHERE name = $1 AND holder <> $2::uuid
      AND expires_at > clock_timestamp() AND expires_at <= clock_timestamp() + $3::interval
  )
  ON CONFLICT (name) DO UPDATE
  SET
    holder = CASE
      WHEN lease.expires_at > clock_timestamp() THEN lease.holder ELSE excluded.holder
    END,
    expires_at = clock_timestamp() + $3::interval
  RETURNING holder = $2::uuid AS held`

const GIVE_BACK = 'DELETE FROM leases WHERE name = $1 AND holder = $2::uuid'

const IS_HELD = `
  SELECT EXISTS (
    SELECT FROM leases WHERE name = $1 AND expires_at > clock_timestamp()
  ) AS held`

const LENGTH = `${LEASE_MS} milliseconds`

/** The lease on the work in the background, for the holder of this id. */
export function postgresLease(
  { query }: Pick<PostgresDatabase, 'query'>,
  { holder }: { holder: string },
): Lease {
  return {
    async take() {
      const [row] = await query<{ held: boolean }>(TAKE, [BACKGROUND, holder, LENGTH])
      return row?.held ?? false
    },
    async giveBack() {
      await query(GIVE_BACK, [BACKGROUND, holder])
    },
  }
}

/** Whether anybody works in the background. Throws `Unavailable('storage')`. */
export async function isLeaseHeld({ query }: Pick<PostgresDatabase, 'query'>): Promise<boolean> {
  const [row] = await query<{ held: boolean }>(IS_HELD, [BACKGROUND])
  return row?.held ?? false
}
