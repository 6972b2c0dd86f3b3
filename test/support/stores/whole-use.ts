import { LEDGER_PARTS } from '../../../application/store.ts'
import { mergeDispute } from '../../../domain/dispute.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import { type ErasedEmailDigest, erasedEmail } from '../../../domain/erasure.ts'
import { nextEpoch } from '../../../domain/log-out.ts'
import { mailShares } from '../../../domain/mail-limit.ts'
import { type Mailbox, type MailboxDigest, mailboxOf } from '../../../domain/mailbox.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import type { OtpRecord, OtpSeed } from '../../../domain/otp.ts'
import {
  draftMessage,
  endMessage,
  OUTBOX_KINDS,
  type OutboxMessage,
} from '../../../domain/outbox.ts'
import { closePurchase, PURCHASE_STATES } from '../../../domain/purchase.ts'
import { mergeRefund } from '../../../domain/refund.ts'
import { PRUNED_KINDS } from '../../../domain/retention.ts'
import { newVerification } from '../../../domain/verification.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { NOON, ORIGIN } from '../fakes.ts'
import { networkNumber } from '../senders.ts'
import { paidPurchase, SESSION } from './contract-purchases.ts'

const LATER = new Date(NOON.getTime() + 1000)
/** A page of the commands, or a batch of the pruning: as 200 of 200,000. */
const PAGE = 20
const LONG_AGO = new Date(NOON.getTime() - 10 * DAY_MS)
/** Before which nothing has any use. */
const RECENTLY = new Date(NOON.getTime() - DAY_MS)
/** Code mails of half an hour, of which there is one a minute in a database of `LARGE`. */
const SHARES = mailShares({ limit: 20, windowMs: 30 * MINUTE_MS })

/**
 * Uses every method of the store of a `LARGE` database in each way that leads to statements of its own. What is changed
 * belongs to the first hundred addresses.
 */
export async function useEverything(store: DatabaseStore): Promise<void> {
  await useCodes(store)
  await usePurchases(store)
  await useReversals(store)
  await useOutbox(store)
  await useAddresses(store)
  await useSandbox(store)
  await useFigures(store)
  for (const kind of PRUNED_KINDS) {
    const upTo = kind.startsWith('future') ? new Date(NOON.getTime() - HOUR_MS) : RECENTLY
    const oldest = kind === 'audit_entries' ? new Date('2023-01-01') : upTo
    await store.retention.prune(kind, { upTo: oldest, limit: PAGE })
    // As nearly always: there is nothing.
    const none = kind.startsWith('future') ? new Date('2030-01-01') : new Date(0)
    await store.retention.prune(kind, { upTo: none, limit: PAGE })
  }
}

/** That of the nth buyer of a `LARGE` database. */
export function buyer(number: number): Email {
  return `buyer${number}@example.com` as Email
}

function purchaseOf(number: number): PurchaseId {
  return `pur_${String(number).padStart(8, '0')}` as PurchaseId
}

async function useCodes({ otps, verifications }: DatabaseStore): Promise<void> {
  const owner = { email: buyer(5), sender: 'stranger' } as const
  const network = networkNumber(1)
  const mailbox = 'mailbox5' as MailboxDigest
  const otp = { seed: 'seed' as OtpSeed, issuedAt: NOON, expiresAt: LATER, attemptsLeft: 5 }
  const full = (): { record: OtpRecord } => ({
    record: {
      current: otp,
      replacement: otp,
      mails: [{ at: NOON, network, mailbox }],
      wrongTries: [{ at: NOON, network }],
    },
  })
  const verification = newVerification(owner.email, { lifetimeMs: MINUTE_MS, now: NOON })
  await otps.update(owner, () => ({ ...full(), verification }))
  await otps.update(owner, () => ({
    record: { current: null, replacement: null, mails: [], wrongTries: [] },
  }))
  await verifications.findByEmail(owner.email)
  for (const networkOfMail of [network, null]) {
    const service = {
      since: new Date(NOON.getTime() - 30 * MINUTE_MS),
      until: NOON,
      network: networkOfMail,
      shares: SHARES,
    }
    const mailboxes = [mailbox, 'mailbox6' as MailboxDigest]
    const serviceMail = { at: NOON, isCustomer: networkOfMail === null, network: networkOfMail }
    await otps.updateMails(owner, { mailboxes, service }, () => ({ ...full(), serviceMail }))
    await otps.updateMails(owner, { mailboxes: [], service: null }, () => ({
      ...full(),
      releasedServiceMail: serviceMail,
    }))
  }
  await otps.findMailboxMails('nobody@example.com' as Mailbox)
  await otps.forgetMailbox(mailboxOf(buyer(7)))
}

async function usePurchases({ purchases, premiumGrants, auditTrail }: DatabaseStore) {
  const purchase = paidPurchase('one', { email: buyer(6) })
  const messages = [draftMessage('payment_confirmed', purchase, NOON)]
  await purchases.update(buyer(6), ORIGIN, () => ({ purchase, messages }))
  await purchases.updateById(purchaseOf(2), ORIGIN, (_, known) => ({
    purchase: closePurchase(known),
  }))
  await purchases.findAccount(buyer(10))
  await purchases.findAccountByPurchase(purchaseOf(10))
  await purchases.findById(purchaseOf(10))
  await purchases.findBySessionId('cs_10')
  await purchases.findByPaymentIntentId('pi_10')
  for (const amount of [400, 401]) {
    await purchases.isAskedPrice({ amount, currency: 'eur' }, { live: true })
  }
  for (const after of [null, purchaseOf(10_000)]) {
    await purchases.list({ states: PURCHASE_STATES, after, limit: PAGE })
    await purchases.list({ states: ['open'], after, limit: 1 })
  }
  await premiumGrants.findByEmail(buyer(10))
  await premiumGrants.add({ id: 'by hand', email: buyer(11) }, ORIGIN)
  await premiumGrants.revokeAll(buyer(11), ORIGIN)
  for (const after of [null, { since: LONG_AGO, id: 'grant_1' }]) {
    await premiumGrants.list({ after, limit: PAGE })
  }
  await auditTrail.findByEmail(buyer(10))
}

async function useReversals({ refunds, disputes }: DatabaseStore): Promise<void> {
  const refund = { id: 're_new', amount: 100, state: 'pending' } as const
  const dispute = { id: 'du_new', state: 'open', reportedAt: NOON } as const
  for (const paymentIntentId of ['pi_12', 'pi_unknown']) {
    const ids = { id: `${refund.id}_${paymentIntentId}`, paymentIntentId }
    await refunds.update([{ ...refund, ...ids }], ORIGIN, mergeRefund)
    await disputes.update([{ ...dispute, ...ids }], ORIGIN, mergeDispute)
  }
  await refunds.findById('re_10')
  await disputes.findById('du_10')
  await refunds.findPendingPayments()
  await disputes.findPendingPayments()
}

async function useOutbox({ outbox, sweeps, databaseHealth }: DatabaseStore): Promise<void> {
  const end = (message: OutboxMessage) => endMessage(message, 'done', NOON)
  for (const kinds of [OUTBOX_KINDS, OUTBOX_KINDS.slice(0, 1)]) {
    await outbox.takeDue({ kinds, now: NOON }, end)
    await outbox.takeDue({ kinds, now: new Date('2026-02-01') }, end)
  }
  await outbox.update(draftMessage('payment_confirmed', paidPurchase('one'), NOON).key, end)
  await outbox.findByPurchase(purchaseOf(10))
  await sweeps.recordRun('refunds', NOON)
  await sweeps.findLastRun('refunds')
  await databaseHealth.check()
  await databaseHealth.checkWritable()
  databaseHealth.lastWriteFailed()
}

async function useAddresses({ logOuts, access, personalData }: DatabaseStore): Promise<void> {
  await logOuts.update(buyer(13), (epoch) => nextEpoch(epoch, NOON))
  const digests = ['trace5' as ErasedEmailDigest, 'nobody' as ErasedEmailDigest]
  await access.findByEmail(buyer(10), () => digests)
  await Promise.all(
    Array.from({ length: 300 }, (_, index) => access.findByEmail(buyer(index), () => digests)),
  )
  await personalData.find(buyer(10))
  const erasure = { name: erasedEmail('1'), digests, origin: ORIGIN }
  await personalData.erase(buyer(14), erasure, ({ purchases }, epoch) => ({
    closed: purchases.map(closePurchase),
    epoch: nextEpoch(epoch, NOON),
  }))
}

async function useSandbox({ sandboxSessions }: DatabaseStore): Promise<void> {
  await sandboxSessions.create(SESSION)
  await sandboxSessions.find('cs_10')
  await sandboxSessions.update('cs_10', (session) => ({ ...session, state: 'paid' }))
  for (const after of [null, 'cs_15000']) {
    await sandboxSessions.list({ since: LONG_AGO, after, limit: PAGE })
  }
}

async function useFigures({ statistics, ledger }: DatabaseStore): Promise<void> {
  await ledger.findBeginning()
  for (const part of LEDGER_PARTS) {
    const [first] = await ledger.list(part, { after: null, limit: 1 })
    // For a whole page PostgreSQL reads tables of this size at once, which costs less than so many looks at an index.
    await ledger.list(part, { after: first?.id ?? null, limit: 10 })
  }
  await statistics.countPurchases()
  await statistics.countOutbox()
  const hour = { from: new Date(NOON.getTime() - HOUR_MS), until: NOON }
  await statistics.rankWrongTries({ ...hour, top: 10 })
  await statistics.countServiceMails({ since: hour.from, until: NOON })
  await statistics.rankServiceMails({ since: hour.from, until: NOON, top: 5 })
  await statistics.countGrantChanges((await statistics.findLastGrantChange()) - PAGE)
  await statistics.measureFiles()
}
