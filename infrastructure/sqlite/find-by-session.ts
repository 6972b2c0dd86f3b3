import { eq, sql } from 'drizzle-orm'
import type { Purchase } from '../../domain/purchase.ts'
import { toPurchase } from '../database/rows.ts'
import { prepareSelect } from './prepared-reads.ts'
import { rememberUntilCommit } from './remembered-facts.ts'
import { purchases } from './schema.ts'

/** Enough for some two thousand purchases. */
const REMEMBERED_BYTES_MAX = 2 * 1024 * 1024

/** As measured: an entry with its key, and a purchase with all but its address. */
const ENTRY_BYTES = 1100

/** Remembers purchases until anybody commits anything, which is checked at each call. */
export function prepareFindBySession(
  database: Parameters<typeof rememberUntilCommit>[0],
): (sessionId: string) => Promise<Purchase | null> {
  const isOfSession = eq(purchases.sessionId, sql.placeholder('sessionId'))
  const select = prepareSelect(database.queries, purchases, isOfSession)
  const remembered = rememberUntilCommit<Purchase>(database, {
    sizeMax: REMEMBERED_BYTES_MAX,
    sizeOf: (_, { email }) => ENTRY_BYTES + email.length,
  })
  return (sessionId) =>
    remembered.find(sessionId, () => {
      const [row] = select(sessionId)
      return row ? toPurchase(row) : null
    })
}
