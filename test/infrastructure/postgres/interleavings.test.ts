import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import { nextEpoch } from '../../../domain/log-out.ts'
import { EMPTY_OTP_RECORD } from '../../../domain/otp.ts'
import { mergeRefund } from '../../../domain/refund.ts'
import { postgresStore } from '../../../infrastructure/postgres/store.ts'
import { NOON, ORIGIN } from '../../support/fakes.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { holdRows } from '../../support/postgres/held-rows.ts'
import {
  ANNA,
  BERT,
  openPurchase,
  paidPurchase,
  REFUND,
} from '../../support/stores/contract-purchases.ts'
import {
  emptyMigratedDatabase,
  openTestDatabase,
  testBudget,
} from '../../support/stores/postgres-store.ts'

/** Two replicas on one database. */
async function openReplicas() {
  const url = await emptyMigratedDatabase()
  const open = () => postgresStore(openTestDatabase(url), { budget: testBudget() })
  return { url, one: open(), other: open() }
}

const ofStranger = (email: Email) => ({ email, sender: 'stranger' }) as const

if (hasPostgres()) {
  test('a refund that is reported while its payment arrives is on the audit trail', async () => {
    const { url, one, other } = await openReplicas()
    const payment = { sessionId: 'cs_one', paymentIntentId: 'pi_one' }
    const awaited = openPurchase('one', { state: 'processing', ...payment })
    await one.purchases.update(ANNA, ORIGIN, () => ({ purchase: awaited }))

    const held = await holdRows(url, "SELECT FROM purchases WHERE id = 'one' FOR UPDATE")
    const paying = one.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase('one') }))
    await held.untilWaitedFor()
    await other.refunds.update([REFUND], ORIGIN, mergeRefund)
    await held[Symbol.asyncDispose]()
    await paying

    const trail = await one.auditTrail.findByEmail(ANNA)
    expect(trail).toMatchObject([
      { reason: 'paid', objectId: 'one' },
      { reason: 'refund_pending', objectId: 're_1' },
    ])
  })

  test('a refund that is reported while its buyer is erased is on the trail of the new name', async () => {
    const { url, one, other } = await openReplicas()
    const name = 'erased-1@alibi.invalid' as Email
    await one.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase('one') }))

    const held = await holdRows(url, "SELECT FROM purchases WHERE id = 'one' FOR UPDATE")
    const erasing = one.personalData.erase(
      ANNA,
      { name, digests: [], origin: ORIGIN },
      (_, epoch) => ({ closed: [], epoch: nextEpoch(epoch, NOON) }),
    )
    await held.untilWaitedFor()
    const refunding = other.refunds.update([REFUND], ORIGIN, mergeRefund)
    await held.untilWaitedFor(2)
    await held[Symbol.asyncDispose]()
    expect(await erasing).toMatchObject({ purchases: 1, refunds: 0 })
    expect(await refunding).toBe(1)

    expect(await one.auditTrail.findByEmail(ANNA)).toEqual([])
    const trail = await one.auditTrail.findByEmail(name)
    expect(trail.map(({ reason }) => reason)).toEqual(['paid', 'revoked', 'refund_pending'])
  })

  test('as many mails as could not be sent at one moment count no longer', async () => {
    const { one, other } = await openReplicas()
    const mail = { at: NOON, isCustomer: false, network: null }
    const emails = Array.from({ length: 20 }, (_, index) => `anna${index}@example.com` as Email)
    const record = EMPTY_OTP_RECORD
    for (const email of emails) {
      await one.otps.update(ofStranger(email), () => ({ record, serviceMail: mail }))
    }
    const count = () => one.statistics.countServiceMails({ since: new Date(0), until: NOON })
    expect((await count()).all).toBe(20)

    await Promise.all(
      emails.slice(1).map((email, index) =>
        (index % 2 ? one : other).otps.update(ofStranger(email), () => ({
          record,
          releasedServiceMail: mail,
        })),
      ),
    )
    expect((await count()).all).toBe(1)
  })

  describe('what another transaction has locked', () => {
    const old = new Date(NOON.getTime() - DAY_MS)
    const record = {
      ...EMPTY_OTP_RECORD,
      mails: [old, old].map((at) => ({ at, network: null, mailbox: null })),
      wrongTries: [old, old].map((at) => ({ at, network: null })),
    }
    const closed = (id: string) => openPurchase(id, { state: 'closed', expiresAt: old })

    test.each([
      ['code_mails', 'SELECT FROM otp_mails WHERE position = 1'],
      ['wrong_tries', 'SELECT FROM otp_wrong_tries WHERE position = 1'],
      ['unpaid_purchases', "SELECT FROM purchases WHERE id = 'two'"],
      ['log_outs', `SELECT FROM log_outs WHERE email = '${BERT}'`],
    ] as const)('pruning %s does not wait for, and takes it the next time', async (kind, row) => {
      const { url, one } = await openReplicas()
      await one.otps.update(ofStranger(ANNA), () => ({ record }))
      for (const id of ['one', 'two']) {
        await one.purchases.update(ANNA, ORIGIN, () => ({ purchase: closed(id) }))
      }
      for (const email of [ANNA, BERT]) {
        await one.logOuts.update(email, (epoch) => nextEpoch(epoch, old))
      }

      const batch = { upTo: NOON, limit: 10 }
      const held = await holdRows(url, `${row} FOR UPDATE`)
      expect(await one.retention.prune(kind, batch)).toBe(1)
      await held[Symbol.asyncDispose]()
      expect(await one.retention.prune(kind, batch)).toBe(1)
      expect(await one.retention.prune(kind, batch)).toBe(0)
    })
  })
}
