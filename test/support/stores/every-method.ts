import { expect } from 'bun:test'
import { Unavailable } from '../../../application/unavailable.ts'
import { mergeDispute } from '../../../domain/dispute.ts'
import { nextEpoch } from '../../../domain/log-out.ts'
import { mailShares } from '../../../domain/mail-limit.ts'
import { mailboxOf } from '../../../domain/mailbox.ts'
import { EMPTY_OTP_RECORD } from '../../../domain/otp.ts'
import {
  beginAttempt,
  draftMessage,
  OUTBOX_KINDS,
  type OutboxMessage,
} from '../../../domain/outbox.ts'
import { mergeRefund } from '../../../domain/refund.ts'
import { newVerification } from '../../../domain/verification.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { NOON, ORIGIN, saveVerification } from '../fakes.ts'
import { ANNA, openPurchase, REFUND, SESSION } from './contract-purchases.ts'

const MESSAGE = draftMessage('payment_confirmed', openPurchase('earlier'), NOON)
const DISPUTE = { id: 'du_1', paymentIntentId: 'pi_one', state: 'open', reportedAt: NOON } as const

const OWNER = { email: ANNA, sender: 'stranger' } as const
const MAILED = { ...EMPTY_OTP_RECORD, mails: [{ at: NOON, network: null, mailbox: null }] }
const WINDOW = {
  since: NOON,
  until: NOON,
  network: null,
  shares: mailShares({ limit: 1, windowMs: 1 }),
}

/** One call of each method that stores something. */
export function everyWrite(store: DatabaseStore): readonly (() => Promise<unknown>)[] {
  return [
    () => store.otps.update(OWNER, () => ({ record: MAILED })),
    () =>
      store.otps.updateMails(OWNER, { mailboxes: [], service: WINDOW }, () => ({ record: MAILED })),
    () => store.otps.forgetMailbox(mailboxOf(ANNA)),
    () => saveVerification(store, newVerification(ANNA, { lifetimeMs: 1, now: NOON })),
    () => store.purchases.update(ANNA, ORIGIN, () => ({ purchase: openPurchase('one') })),
    () => store.premiumGrants.add({ id: 'by hand', email: ANNA }, ORIGIN),
    () => store.premiumGrants.revokeAll(ANNA, ORIGIN),
    () => store.refunds.update([REFUND], ORIGIN, mergeRefund),
    () => store.disputes.update([DISPUTE], ORIGIN, mergeDispute),
    () => store.outbox.takeDue({ kinds: OUTBOX_KINDS, now: NOON }, begin),
    () => store.outbox.update(MESSAGE.key, begin),
    () => store.sweeps.recordRun('refunds', NOON),
    () => store.logOuts.update(ANNA, (epoch) => nextEpoch(epoch, NOON)),
    () => store.sandboxSessions.create(SESSION),
    () => store.sandboxSessions.update('cs_one', () => SESSION),
  ]
}

/** One call of each method, whether it stores or reads. */
export function everyMethod(store: DatabaseStore): readonly (() => Promise<unknown>)[] {
  return [
    ...everyWrite(store),
    () => store.otps.findMailboxMails(mailboxOf(ANNA)),
    () => store.verifications.findByEmail(ANNA),
    () => store.purchases.findAccount(ANNA),
    () => store.purchases.findAccountByPurchase(openPurchase('one').id),
    () => store.purchases.findById(openPurchase('one').id),
    () => store.purchases.findBySessionId('cs_one'),
    () => store.purchases.isAskedPrice({ amount: 400, currency: 'eur' }, { live: false }),
    () => store.purchases.list({ states: ['open'], after: null, limit: 1 }),
    () => store.premiumGrants.findByEmail(ANNA),
    () => store.refunds.findById('re_1'),
    () => store.refunds.findPendingPayments(),
    () => store.disputes.findById('du_1'),
    () => store.disputes.findPendingPayments(),
    () => store.auditTrail.findByEmail(ANNA),
    () => store.ledger.findBeginning(),
    () => store.ledger.list('purchases', { after: null, limit: 1 }),
    () => store.outbox.findByPurchase(MESSAGE.purchaseId),
    () => store.sweeps.findLastRun('refunds'),
    async () => store.access.findByEmail(ANNA, () => []),
    () => store.databaseHealth.check(),
    () => store.databaseHealth.checkWritable(),
    () => store.sandboxSessions.find('cs_one'),
  ]
}

/** Stores a message that is due, so that it can be taken. */
export async function saveMessage({ purchases }: DatabaseStore): Promise<void> {
  await purchases.update(ANNA, ORIGIN, () => ({ purchase: null, messages: [MESSAGE] }))
}

function begin(message: OutboxMessage): OutboxMessage {
  return beginAttempt(message, NOON)
}

/**
 * Takes it that the call ends with an outage of the storage, and gives the code of its cause: null where that
 * has none.
 */
export async function expectOutage(failing: Promise<unknown>): Promise<unknown> {
  const error: unknown = await failing.then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(Unavailable)
  const { outage, cause } = error as Unavailable
  expect(outage).toBe('storage')
  expect(cause).toBeInstanceOf(Error)
  const { code, name } = cause as { code?: string; name: string }
  return code ?? (name === 'Error' ? null : name)
}
