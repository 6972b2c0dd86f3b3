import type { AccessFacts, AccessRepository } from '../../application/access-repository.ts'
import { onFirstUse } from '../../application/first-use.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareFindAccess } from './find-access.ts'
import { rememberUntilCommit } from './remembered-facts.ts'

/** Enough for some thirty thousand addresses. */
const REMEMBERED_BYTES_MAX = 12 * 1024 * 1024

/** As measured, and generously: an entry with its key, a grant, a reversal. */
const ENTRY_BYTES = 240
const GRANT_BYTES = 140
const REVERSAL_BYTES = 64

/** Remembers the facts of addresses until anybody commits anything, which is checked at each call. */
export function sqliteAccessRepository(database: SqliteDatabase): AccessRepository {
  const findFacts = onFirstUse(() => database.prepare(() => prepareFindAccess(database.queries)))
  const remembered = rememberUntilCommit(database, {
    sizeMax: REMEMBERED_BYTES_MAX,
    sizeOf: bytesOf,
  })
  return {
    findByEmail: (email, digests) => remembered.find(email, () => findFacts()(email, digests())),
    recall: remembered.recall,
  }
}

function bytesOf(email: string, { grants }: AccessFacts): number {
  const reversals = grants.reduce(
    (sum, { payment }) => sum + (payment ? payment.refunds.length + payment.disputes.length : 0),
    0,
  )
  return ENTRY_BYTES + email.length + grants.length * GRANT_BYTES + reversals * REVERSAL_BYTES
}
