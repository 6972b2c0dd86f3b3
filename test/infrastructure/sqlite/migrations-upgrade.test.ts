import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { MINUTE_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import type { ErasedEmailDigest } from '../../../domain/erasure.ts'
import { type Epoch, nextEpoch } from '../../../domain/log-out.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import { EMPTY_OTP_RECORD, type OtpSeed } from '../../../domain/otp.ts'
import { newVerification } from '../../../domain/verification.ts'
import { applyMigrations, MIGRATIONS } from '../../../infrastructure/sqlite/migrations.ts'
import { openSqliteStore, sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { NOON, NOON_EPOCH, ORIGIN, saveVerification } from '../../support/fakes.ts'
import { CHALLENGE } from '../../support/proof-key.ts'
import { ANNA, BERT, openPurchase } from '../../support/stores/contract-purchases.ts'
import { findEpoch, findLogOut } from '../../support/stores/log-outs.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const CARL = 'carl@example.com' as Email
const DORA = 'dora@example.com' as Email
const PAID_AT = new Date(NOON.getTime() + MINUTE_MS)
const REVOKED_AT = new Date(NOON.getTime() + 120_000)
const EXPIRES_AT = new Date(NOON.getTime() + 1_980_000)

/** A database as the first release left it, with something of everything that it could hold about payments. */
function openFirstRelease(): string {
  const path = join(temporaryFolder(), 'alibi.db')
  const client = new Database(path)
  applyMigrations(client, MIGRATIONS.slice(0, 1))
  const insert = client.prepare(
    `INSERT INTO purchases (
      id, email, price_amount, price_currency, live, state, created_at, expires_at,
      session_id, payment_intent_id, paid_at, amount_paid, review_reason, revoked_at
    ) VALUES (?, ?, 400, 'eur', 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const moments = [NOON.getTime(), EXPIRES_AT.getTime()]
  const paidAt = PAID_AT.getTime()
  const rows = [
    ['pur_paid', ANNA, 'paid', ...moments, 'cs_paid', 'pi_paid', paidAt, 350, null, null],
    ['pur_open', ANNA, 'open', ...moments, null, null, null, null, null, null],
    ['pur_late', ANNA, 'processing', ...moments, 'cs_late', 'pi_late', null, null, null, null],
    ['pur_over', BERT, 'closed', ...moments, 'cs_over', null, null, null, null, null],
    ['pur_odd', BERT, 'review', ...moments, 'cs_odd', 'pi_odd', null, null, 'currency', null],
    ['pur_free', BERT, 'paid', ...moments, 'cs_free', null, paidAt, 0, null, REVOKED_AT.getTime()],
  ]
  for (const row of rows) insert.run(...row)
  client.run(`
    INSERT INTO refunds VALUES ('re_1', 'pi_paid', 50, 'pending'), ('re_2', 'pi_odd', 400, 'succeeded');
    INSERT INTO disputes VALUES ('du_1', 'pi_paid', 'inquiry', ${NOON.getTime()});
    INSERT INTO operator_grants VALUES ('by hand', '${CARL}', ${NOON.getTime()}, NULL);
    INSERT INTO log_outs VALUES ('${CARL}', ${NOON.getTime()});
  `)
  client.close(true)
  return path
}

test('a database of the first release keeps every purchase, refund, dispute and grant', async () => {
  const store = sqliteStore(openTemporaryDatabase(openFirstRelease()))
  const asked = { language: 'en', price: { amount: 400, currency: 'eur' }, live: true } as const
  const own = { ...asked, leastAmount: null, createdAt: NOON, expiresAt: EXPIRES_AT }
  const none = { sessionId: null, paymentIntentId: null }
  const paid = { state: 'paid', paidAt: PAID_AT, isDuplicate: false } as const
  const refunds = [
    { id: 're_1', paymentIntentId: 'pi_paid', amount: 50, state: 'pending' },
    { id: 're_2', paymentIntentId: 'pi_odd', amount: 400, state: 'succeeded' },
  ] as const
  const dispute = {
    id: 'du_1',
    paymentIntentId: 'pi_paid',
    state: 'inquiry',
    reportedAt: NOON,
  } as const

  expect(await store.purchases.findAccount(ANNA)).toEqual({
    purchases: [
      {
        ...own,
        id: 'pur_late' as PurchaseId,
        email: ANNA,
        state: 'processing',
        sessionId: 'cs_late',
        paymentIntentId: 'pi_late',
      },
      { ...own, ...none, id: 'pur_open' as PurchaseId, email: ANNA, state: 'open' },
      {
        ...own,
        ...paid,
        id: 'pur_paid' as PurchaseId,
        email: ANNA,
        sessionId: 'cs_paid',
        paymentIntentId: 'pi_paid',
        amountPaid: 350,
        revokedAt: null,
      },
    ],
    grants: [
      {
        id: 'pur_paid',
        email: ANNA,
        payment: { amountPaid: 350, refunds: [refunds[0]], disputes: [dispute] },
        revokedAt: null,
      },
    ],
    refunds: [refunds[0]],
    disputes: [dispute],
    verification: null,
  })
  expect(await store.purchases.findAccount(BERT)).toEqual({
    purchases: [
      {
        ...own,
        id: 'pur_free' as PurchaseId,
        email: BERT,
        ...paid,
        sessionId: 'cs_free',
        paymentIntentId: null,
        amountPaid: 0,
        revokedAt: REVOKED_AT,
      },
      {
        ...own,
        id: 'pur_odd' as PurchaseId,
        email: BERT,
        state: 'review',
        reviewReason: 'currency',
        amountReceived: 400,
        sessionId: 'cs_odd',
        paymentIntentId: 'pi_odd',
      },
      {
        ...own,
        id: 'pur_over' as PurchaseId,
        email: BERT,
        state: 'closed',
        sessionId: 'cs_over',
        paymentIntentId: null,
      },
    ],
    grants: [
      {
        id: 'pur_free',
        email: BERT,
        payment: { amountPaid: 0, refunds: [], disputes: [] },
        revokedAt: REVOKED_AT,
      },
    ],
    refunds: [refunds[1]],
    disputes: [],
    verification: null,
  })
  expect(await store.premiumGrants.findByEmail(CARL)).toEqual([
    { id: 'by hand', email: CARL, payment: null, revokedAt: null },
  ])
  expect(await findLogOut(store.access, CARL)).toBe(NOON_EPOCH)
  expect(await store.auditTrail.findByEmail(ANNA)).toEqual([])
})

test('a database of the first release goes on refusing what it refused, and can be used', async () => {
  const path = openFirstRelease()
  const store = sqliteStore(openTemporaryDatabase(path))
  const second = store.purchases.update(ANNA, ORIGIN, () => ({ purchase: openPurchase('pur_two') }))
  await expect(second).rejects.toThrow('UNIQUE')
  const stolen = openPurchase('pur_three', { email: CARL, sessionId: 'cs_paid' })
  const third = store.purchases.update(CARL, ORIGIN, () => ({ purchase: stolen }))
  await expect(third).rejects.toThrow('UNIQUE')

  expect(await store.premiumGrants.revokeAll(ANNA, ORIGIN)).toBe(1)
  expect(await store.auditTrail.findByEmail(ANNA)).toMatchObject([
    { grantId: 'pur_paid', reason: 'revoked', isActive: false },
  ])
})

test('a verification of an earlier release lives on without a challenge, and the next one can have one', async () => {
  for (const release of [1, 2]) {
    const path = join(temporaryFolder(), 'alibi.db')
    const client = new Database(path)
    applyMigrations(client, MIGRATIONS.slice(0, release))
    const moments = [NOON.getTime(), EXPIRES_AT.getTime()]
    client.run('INSERT INTO verifications VALUES (?, ?, ?)', [ANNA, ...moments])
    client.close(true)

    const store = sqliteStore(openTemporaryDatabase(path))
    expect(await store.verifications.findByEmail(ANNA)).toEqual({
      email: ANNA,
      verifiedAt: NOON,
      expiresAt: EXPIRES_AT,
      codeChallenge: null,
      epoch: NOON_EPOCH,
    })
    const next = newVerification(ANNA, { codeChallenge: CHALLENGE, lifetimeMs: 1000, now: NOON })
    await saveVerification(store, next)
    expect(await store.verifications.findByEmail(ANNA)).toEqual(next)
    for (const wrong of [CHALLENGE.slice(1), `${CHALLENGE}A`]) {
      const codeChallenge = wrong as typeof CHALLENGE
      await expect(saveVerification(store, { ...next, codeChallenge })).rejects.toThrow('CHECK')
    }
  }
})

test('a database that was brought up to date is as intact as one that was just made', () => {
  const path = openFirstRelease()
  openSqliteStore(path).close()
  const [upgraded, made] = [new Database(path), new Database(':memory:')]
  applyMigrations(made, MIGRATIONS)

  expect(upgraded.prepare('PRAGMA integrity_check').values()).toEqual([['ok']])
  expect(upgraded.prepare('PRAGMA foreign_key_check').values()).toEqual([])
  const describeAll = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name'
  expect(upgraded.prepare(describeAll).all()).toEqual(made.prepare(describeAll).all())
  expect(made.prepare(describeAll).all().length).toBeGreaterThan(20)
  upgraded.close(true)
  made.close(true)
})

test('log-outs of an earlier release go on ending what they ended, and the next one begins a later epoch', async () => {
  const path = join(temporaryFolder(), 'alibi.db')
  const client = new Database(path)
  applyMigrations(client, MIGRATIONS.slice(0, 4))
  const [own, erased, common] = [3000, 7000, 1000].map((ms) => NOON.getTime() + ms)
  const verifiedAt = NOON.getTime() + 2999
  client.run(`
    INSERT INTO log_outs VALUES ('${ANNA}', ${own});
    INSERT INTO erased_log_outs VALUES ('trace', ${erased});
    INSERT INTO common_log_out VALUES (1, ${common});
    INSERT INTO verifications VALUES ('${ANNA}', ${verifiedAt}, ${verifiedAt + 1000}, '${CHALLENGE}');
  `)
  client.close(true)

  const { logOuts, access, verifications } = sqliteStore(openTemporaryDatabase(path))
  const epochAt = (ms: number) => (NOON_EPOCH + ms) as Epoch
  expect(await findLogOut(access, ANNA)).toBe(epochAt(3000))
  expect(await findLogOut(access, DORA, ['trace' as ErasedEmailDigest])).toBe(epochAt(7000))
  expect(await findLogOut(access, CARL)).toBe(epochAt(1000))
  expect(await findEpoch(access)).toBe(epochAt(7000))
  expect((await verifications.findByEmail(ANNA))!.epoch).toBe(epochAt(2999))

  await logOuts.update(CARL, (epoch) => nextEpoch(epoch, NOON))
  expect(await findLogOut(access, CARL)).toBe(epochAt(7001))
})

test('codes, mails and wrong tries of an earlier release count on, for strangers and for no network', async () => {
  const path = join(temporaryFolder(), 'alibi.db')
  const client = new Database(path)
  const before = MIGRATIONS.findIndex(({ name }) => name === '0007_code_budgets')
  applyMigrations(client, MIGRATIONS.slice(0, before))
  const [issuedAt, expiresAt] = [NOON.getTime(), EXPIRES_AT.getTime()]
  client.run("INSERT INTO otps VALUES (?, 'current', 'seed', ?, ?, 3)", [ANNA, issuedAt, expiresAt])
  client.run('INSERT INTO otp_mails VALUES (?, 0, ?), (?, 1, ?)', [ANNA, issuedAt, ANNA, expiresAt])
  client.run('INSERT INTO otp_wrong_tries VALUES (?, 0, ?)', [ANNA, issuedAt])
  client.close(true)

  const { otps } = sqliteStore(openTemporaryDatabase(path))
  const read = async (sender: 'stranger' | 'holder') =>
    (await otps.update({ email: ANNA, sender }, (record) => ({ record }))).record
  expect(await read('stranger')).toEqual({
    current: { seed: 'seed' as OtpSeed, issuedAt: NOON, expiresAt: EXPIRES_AT, attemptsLeft: 3 },
    replacement: null,
    mails: [NOON, EXPIRES_AT].map((at) => ({ at, network: null, mailbox: null })),
    wrongTries: [{ at: NOON, network: null }],
  })
  expect(await read('holder')).toEqual(EMPTY_OTP_RECORD)
})
