import type { Database } from 'bun:sqlite'
import type { Account, KeptRecords, PersonalData } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { RecordChanges } from './audit-trail.ts'
import type { SqliteDatabase } from './database.ts'
import { prepareFindAccount } from './find-account.ts'
import { prepareFindRecords } from './find-records.ts'
import { prepareEpoch } from './log-out-repository.ts'
import { prepareRevokeAll } from './premium-grant-repository.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { prepareSavePurchase } from './purchase-repository.ts'
import { erasedLogOuts } from './schema.ts'

/** The tables with data about a single address. */
const DELETED = ['otps', 'otp_mails', 'otp_wrong_tries', 'verifications', 'log_outs'] as const

const CHECKPOINT_TRIES = 10
const CHECKPOINT_RETRY_MS = 20

export function sqlitePersonalData(
  { queries, readTogether, write }: SqliteDatabase,
  recordChanges: RecordChanges,
): PersonalData {
  const client = queries.$client
  const findRecords = prepareFindRecords(queries)
  const findAccount = prepareFindAccount(queries)
  const epoch = prepareEpoch(queries)
  const savePurchase = prepareSavePurchase(queries)
  const revokeAll = prepareRevokeAll(queries, recordChanges)
  const deletions = DELETED.map((table) => client.prepare(`DELETE FROM ${table} WHERE email = ?1`))
  const rename = prepareRename(client)
  const saveErasedLogOut = prepareUpsert(queries, erasedLogOuts)

  return {
    find: async (email) => readTogether(() => findRecords(email)),
    async erase(email, { name, digests, origin }, decide) {
      const kept = await write(() => {
        const account = findAccount(email)
        const decision = decide(account, epoch.find())
        if (!decision) return null
        decision.closed.forEach(savePurchase)
        revokeAll(email, origin)
        for (const deletion of deletions) deletion.run(email)
        epoch.save(decision.epoch)
        for (const trace of digests) saveErasedLogOut({ trace, epoch: decision.epoch })
        return rename(account, { email, name })
      })
      if (kept) await emptyWriteAheadLog(client)
      return kept
    },
  }
}

function prepareRename(
  client: Database,
): (account: Account, names: { email: Email; name: Email }) => KeptRecords {
  const renaming = (table: string, column = 'email') => {
    const statement = client.prepare(`UPDATE ${table} SET ${column} = ?2 WHERE ${column} = ?1`)
    return ({ email, name }: { email: Email; name: Email }) => statement.run(email, name).changes
  }
  const renamePurchases = renaming('purchases')
  const renameOperatorGrants = renaming('operator_grants')
  const renameMessages = renaming('outbox')
  const renameEntries = renaming('audit_entries')
  const renameSandboxSessions = renaming('sandbox_sessions', 'customer_email')

  return ({ refunds, disputes }, names) => ({
    purchases: renamePurchases(names),
    operatorGrants: renameOperatorGrants(names),
    refunds: refunds.length,
    disputes: disputes.length,
    messages: renameMessages(names),
    auditEntries: renameEntries(names),
    sandboxSessions: renameSandboxSessions(names),
  })
}

/**
 * The log beside the database still contains the deleted rows until SQLite restarts it. This does not wait for a
 * process that reads an older state for long, such as a backup tool that follows the log.
 */
async function emptyWriteAheadLog(client: Database): Promise<void> {
  for (let tries = 0; tries < CHECKPOINT_TRIES; tries++) {
    if (isEmptied(client)) return
    await Bun.sleep(CHECKPOINT_RETRY_MS)
  }
}

function isEmptied(client: Database): boolean {
  try {
    const [outcome] = client.prepare<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').all()
    return outcome?.busy === 0
  } catch {
    // A full disk, for one. The commit stands, and every later checkpoint does the same.
    return false
  }
}
