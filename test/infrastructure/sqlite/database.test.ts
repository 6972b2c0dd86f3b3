import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Epoch } from '../../../domain/log-out.ts'
import type { MailboxDigest } from '../../../domain/mailbox.ts'
import type { OtpRecord, OtpSeed } from '../../../domain/otp.ts'
import { draftMessage } from '../../../domain/outbox.ts'
import { mergeRefund } from '../../../domain/refund.ts'
import { newVerification } from '../../../domain/verification.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import type { SqliteDatabase } from '../../../infrastructure/sqlite/database.ts'
import { BUSY_TIMEOUT_MS } from '../../../infrastructure/sqlite/storage-outage.ts'
import { openSqliteStore, sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { NOON, NOON_EPOCH, ORIGIN, saveVerification } from '../../support/fakes.ts'
import { networkNumber } from '../../support/senders.ts'
import {
  ANNA,
  openPurchase,
  paidPurchase,
  REFUND,
  SESSION,
} from '../../support/stores/contract-purchases.ts'
import { findLogOut } from '../../support/stores/log-outs.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const OTP_RECORD: OtpRecord = {
  current: {
    seed: 'seed' as OtpSeed,
    issuedAt: NOON,
    expiresAt: new Date(NOON.getTime() + 600_000),
    attemptsLeft: 2,
  },
  replacement: null,
  mails: [
    { at: NOON, network: networkNumber(1), mailbox: 'digest' as MailboxDigest },
    { at: NOON, network: null, mailbox: null },
  ],
  wrongTries: [1, 1, 2].map((number) => ({ at: NOON, network: networkNumber(number) })),
}

describe('an open SQLite database', () => {
  test('loses no acknowledged commit in a power cut: write-ahead log, synchronous FULL', () => {
    const database = openTemporaryDatabase()

    expect(pragma(database, 'journal_mode')).toBe('wal')
    expect(pragma(database, 'synchronous')).toBe(2)
  })

  test('never lets SQLite itself wait, which would hold up the process, and enforces foreign keys', () => {
    const database = openTemporaryDatabase()

    expect(pragma(database, 'busy_timeout')).toBe(0)
    expect(pragma(database, 'foreign_keys')).toBe(1)
  })

  test('writes to no files but its own, whatever is rolled back', () => {
    const IN_MEMORY = 2
    expect(pragma(openTemporaryDatabase(), 'temp_store')).toBe(IN_MEMORY)
  })

  test('is readable by its owner alone, folder, file and log', async () => {
    const path = join(temporaryFolder(), 'new', 'state', 'alibi.db')
    await sqliteStore(openTemporaryDatabase(path)).logOuts.update(ANNA, () => NOON_EPOCH)

    expect(mode(dirname(dirname(path)))).toBe('700')
    expect(mode(dirname(path))).toBe('700')
    expect([path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual(['600', '600', '600'])
  })

  test('keeps everything when it is closed and opened again, counters too', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const verification = newVerification(ANNA, { lifetimeMs: 1000, now: NOON })
    const before = openSqliteStore(path)
    await before.otps.update({ email: ANNA, sender: 'stranger' }, () => ({ record: OTP_RECORD }))
    await saveVerification(before, verification)
    const purchase = paidPurchase('one')
    const message = draftMessage('payment_confirmed', purchase, NOON)
    await before.purchases.update(ANNA, ORIGIN, () => ({ purchase, messages: [message] }))
    await before.refunds.update([REFUND], ORIGIN, mergeRefund)
    await before.premiumGrants.add({ id: 'by hand', email: ANNA }, ORIGIN)
    await before.sweeps.recordRun('refunds', NOON)
    await before.logOuts.update(ANNA, () => NOON_EPOCH)
    await before.sandboxSessions.create(SESSION)
    const account = await before.purchases.findAccount(ANNA)
    const audit = await before.auditTrail.findByEmail(ANNA)
    before.close()

    const after = sqliteStore(openTemporaryDatabase(path))
    expect(await readOtps(after)).toEqual(OTP_RECORD)
    expect(await after.verifications.findByEmail(ANNA)).toEqual(verification)
    expect(await after.purchases.findAccount(ANNA)).toEqual(account)
    expect(account.grants).toHaveLength(2)
    expect(await after.auditTrail.findByEmail(ANNA)).toEqual(audit)
    expect(audit).toHaveLength(3)
    expect(await after.outbox.findByPurchase(purchase.id)).toEqual([message])
    expect(await after.sweeps.findLastRun('refunds')).toEqual(NOON)
    expect(await findLogOut(after.access, ANNA)).toBe(NOON_EPOCH)
    expect(await after.sandboxSessions.find('cs_one')).toEqual(SESSION)
  })

  test('works without a file, empty each time', async () => {
    const store = sqliteStore(openTemporaryDatabase(':memory:'))
    await store.logOuts.update(ANNA, () => NOON_EPOCH)

    expect(await findLogOut(store.access, ANNA)).toBe(NOON_EPOCH)
    expect(await store.databaseHealth.check()).toBeUndefined()
    expect(await findLogOut(sqliteStore(openTemporaryDatabase(':memory:')).access, ANNA)).toBeNull()
    expect(existsSync(':memory:')).toBe(false)
  })

  test('shows a second connection at once what the first has stored', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const [first, second] = [
      sqliteStore(openTemporaryDatabase(path)),
      sqliteStore(openTemporaryDatabase(path)),
    ]
    await first.purchases.update(ANNA, ORIGIN, () => ({ purchase: openPurchase('one') }))

    expect(await second.purchases.findById(openPurchase('one').id)).toEqual(openPurchase('one'))
    const secondOpen = second.purchases.update(ANNA, ORIGIN, () => ({
      purchase: openPurchase('two'),
    }))
    await expect(secondOpen).rejects.toThrow('UNIQUE')
  })

  test('shows statements that are read together one moment, though another connection writes between them', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const [reader, writer] = [openTemporaryDatabase(path), openTemporaryDatabase(path)]
    const count = reader.queries.$client.prepare('SELECT count(*) FROM log_outs')

    const [first, second] = await reader.readTogether(() => {
      const before = count.values()
      writer.queries.$client.run("INSERT INTO log_outs VALUES ('a@b.co', 1)")
      return [before, count.values()]
    })
    expect([first, second]).toEqual([[[0]], [[0]]])
    expect(await reader.read(() => count.values())).toEqual([[1]])
  })

  test('stores nothing of a write that fails halfway', async () => {
    const { queries, write } = openTemporaryDatabase()

    const failing = write(() => {
      queries.$client.run("INSERT INTO log_outs VALUES ('a@b.co', 1)")
      throw new Error('halfway')
    })
    await expect(failing).rejects.toThrow('halfway')
    expect(queries.$client.prepare('SELECT * FROM log_outs').all()).toEqual([])
  })

  test('goes on serving one connection when another is closed', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const [first, second] = [sqliteStore(openTemporaryDatabase(path)), openSqliteStore(path)]
    await first.logOuts.update(ANNA, () => NOON_EPOCH)
    second.close()
    await first.logOuts.update(ANNA, () => (NOON_EPOCH + 1) as Epoch)

    expect(await findLogOut(sqliteStore(openTemporaryDatabase(path)).access, ANNA)).toBe(
      (NOON_EPOCH + 1) as Epoch,
    )
  })
})

describe('a closed SQLite database', () => {
  test('leaves one file, with the log folded in', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const store = openSqliteStore(path)
    await store.logOuts.update(ANNA, () => NOON_EPOCH)
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    store.close()

    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(existsSync(`${path}-shm`)).toBe(false)
  })

  test('has its log folded in although another connection goes on, such as a tool that follows the log', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const other = openTemporaryDatabase(path)
    const store = openSqliteStore(path)
    await store.logOuts.update(ANNA, () => NOON_EPOCH)
    store.close()

    expect(existsSync(`${path}-wal`)).toBe(true)
    copyFileSync(path, `${path}.copy`)
    const copy = sqliteStore(openTemporaryDatabase(`${path}.copy`))
    expect(await findLogOut(copy.access, ANNA)).toBe(NOON_EPOCH)
    expect(await findLogOut(sqliteStore(other).access, ANNA)).toBe(NOON_EPOCH)
  })

  test('does not wait for the long read of another connection, and loses nothing', async () => {
    const path = join(temporaryFolder(), 'alibi.db')
    const reader = openTemporaryDatabase(path)
    reader.queries.$client.run('BEGIN')
    reader.queries.$client.prepare('SELECT * FROM log_outs').all()

    const closings: number[] = []
    for (let time = 1; time <= 3; time++) {
      const store = openSqliteStore(path)
      await store.logOuts.update(ANNA, () => NOON_EPOCH)
      const startedAt = performance.now()
      store.close()
      closings.push(performance.now() - startedAt)
    }
    // One that waits does so each time, and as long as it may.
    expect(Math.min(...closings)).toBeLessThan(BUSY_TIMEOUT_MS / 2)

    reader.queries.$client.run('COMMIT')
    expect(await findLogOut(sqliteStore(reader).access, ANNA)).toBe(NOON_EPOCH)
  })
})

function pragma({ queries }: SqliteDatabase, name: string): unknown {
  return queries.$client.prepare(`PRAGMA ${name}`).values()[0]?.[0]
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

async function readOtps({ otps }: DatabaseStore): Promise<OtpRecord> {
  const { record } = await otps.update({ email: ANNA, sender: 'stranger' }, (stored) => ({
    record: stored,
  }))
  return record
}
