import type { AccessFacts, AccessRepository } from '../../application/access-repository.ts'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import { type RecentEntries, recentEntries } from '../recent-entries.ts'
import { prepareCommitWatch } from './commit-watch.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareFindAccess } from './find-access.ts'

/** Enough for some thirty thousand addresses. */
const REMEMBERED_BYTES_MAX = 12 * 1024 * 1024

/** As measured, and generously: an entry with its key, a grant, a reversal. */
const ENTRY_BYTES = 240
const GRANT_BYTES = 140
const REVERSAL_BYTES = 64

// Why: docs/decisions.md#facts-are-remembered-until-somebody-commits
/** Remembers the facts of addresses until anybody commits anything, which is checked at each call. */
export function sqliteAccessRepository(database: SqliteDatabase): AccessRepository {
  const findFacts = prepareFindAccess(database.queries)
  const currentVersion = prepareCommitWatch(database)
  let remembered = noFacts()
  let version: number | null = null

  /** Null for facts that have to be read, also where the database cannot say now whether they still hold. */
  function recall(email: Email): AccessFacts | null {
    if (!database.isUsable()) return null
    try {
      const versionNow = currentVersion()
      return versionNow !== null && versionNow === version ? remembered.find(email) : null
    } catch {
      return null
    }
  }

  function read(email: Email, digests: () => readonly ErasedEmailDigest[]): AccessFacts {
    const versionNow = currentVersion()
    if (versionNow === null) return findFacts(email, digests())
    if (versionNow !== version) {
      remembered = noFacts()
      version = versionNow
    }
    const facts = findFacts(email, digests())
    remembered.keep(email, facts)
    return facts
  }

  return {
    findByEmail: (email, digests) => recall(email) ?? database.read(() => read(email, digests)),
  }
}

function noFacts(): RecentEntries<AccessFacts> {
  return recentEntries({ sizeMax: REMEMBERED_BYTES_MAX, sizeOf: bytesOf })
}

function bytesOf(email: string, { grants }: AccessFacts): number {
  const reversals = grants.reduce(
    (sum, { payment }) => sum + (payment ? payment.refunds.length + payment.disputes.length : 0),
    0,
  )
  return ENTRY_BYTES + email.length + grants.length * GRANT_BYTES + reversals * REVERSAL_BYTES
}
