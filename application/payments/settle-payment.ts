import { isErased } from '../../domain/erasure.ts'
import type { Actor, Origin } from '../../domain/grant-change.ts'
import { type NamedOrder, refuseOrder, restorePurchase } from '../../domain/lost-order.ts'
import { isSamePrice, leastAmountOf, type PurchaseId } from '../../domain/order.ts'
import { messagesAbout, type OutboxMessage } from '../../domain/outbox.ts'
import { hasPremium, isDuplicatePayment, type Reversals } from '../../domain/premium-grant.ts'
import { isReportOf, type Purchase, settlePurchase } from '../../domain/purchase.ts'
import type { SessionReport } from '../../domain/session-report.ts'
import type { PaymentEvent, Ports } from '../ports.ts'
import type { Account } from '../store.ts'
import {
  applyDisputes,
  applyRefunds,
  applyReversals,
  findReversals,
  type ReversalDependencies,
} from './apply-reversals.ts'

export type SettleDependencies = ReversalDependencies &
  Pick<Ports, 'notifications' | 'clock' | 'rules'>

/** A purchase as a report left it, and whether the report changed its state. */
type Settlement = { readonly purchase: Purchase; readonly isStateChange: boolean }

export function originOf({ clock }: Pick<Ports, 'clock'>, origin: Omit<Origin, 'at'>): Origin {
  return { at: clock.now(), ...origin }
}

/**
 * Applies a report of the provider, and returns whether it changed the state of anything. Reports may come in any order
 * and any number of times. Durable once it resolves.
 */
export async function settlePayment(
  ports: SettleDependencies,
  event: PaymentEvent,
  by: Actor,
): Promise<boolean> {
  const source = event.eventId
  const origin = originOf(ports, { by, source })
  switch (event.kind) {
    case 'session': {
      const settlement = await settleReport(ports, event.report, { origin, isRead: false })
      return settlement?.isStateChange ?? false
    }
    case 'refund':
      return (await applyRefunds(ports, [event.refund], origin)) > 0
    case 'refund_hint': {
      const refunds = await ports.payments.listRefunds(event.paymentIntentId)
      return (await applyRefunds(ports, refunds, origin)) > 0
    }
    case 'dispute':
      return (await applyDisputes(ports, [event.dispute], origin)) > 0
    case 'other':
      return false
  }
}

/**
 * Applies what the provider answered about a session. Success page, checkout, reconciler and operator all call it. Null
 * when the session is not one of ours. A purchase of ours whose row is lost is restored from the order that the session
 * names, together with its refunds and disputes; it gives access only where the order is believed.
 */
export async function settleSession(
  ports: SettleDependencies,
  report: SessionReport,
  by: Actor,
): Promise<Settlement | null> {
  const origin = originOf(ports, { by, source: report.sessionId })
  return settleReport(ports, report, { origin, isRead: true })
}

/** A report, and where from: `isRead` when the provider answered with it just now, rather than notified of it. */
type Telling = { readonly origin: Origin; readonly isRead: boolean }

async function settleReport(
  ports: SettleDependencies,
  report: SessionReport,
  telling: Telling,
): Promise<Settlement | null> {
  const { origin } = telling
  const step = await settleOne(ports, report, telling)
  if (!step) {
    if (origin.by === 'webhook') {
      ports.log('payment.foreign_session', { session: report.sessionId })
    }
    return null
  }
  logStep(ports, step, origin)
  const { before, after, isRestored } = step
  return { purchase: after, isStateChange: isRestored || before.state !== after.state }
}

/** A purchase before and after one report. */
type Step = {
  readonly before: Purchase
  readonly after: Purchase
  readonly isRestored: boolean
}

/**
 * Null when the report is about no purchase of ours. Of a purchase that is not known, a notification is no more than a
 * hint: the provider is asked. One that is known is settled without a question.
 */
async function settleOne(
  ports: SettleDependencies,
  report: SessionReport,
  { origin, isRead }: Telling,
): Promise<Step | null> {
  const step = await settleNamed(ports, { report, origin })
  if (step) return step
  const known = await findPurchase(ports, report)
  if (known) return settleById(ports, known.id, { report, origin })
  const order = findLostOrder(ports, report)
  if (!order) return null
  if (isRead) return settleLost(ports, order, { report, origin })

  const read = await ports.payments.readSession(report.sessionId)
  return read && settleOne(ports, read, { origin, isRead: true })
}

/**
 * Settles at once the purchase that the report names, where the session is that one's: then no other purchase can have
 * it. Null where the purchase has to be looked for.
 */
async function settleNamed(
  ports: SettleDependencies,
  { report, origin }: Reported,
): Promise<Step | null> {
  const { purchaseId, sessionId } = report
  if (purchaseId === null) return null
  return settleById(ports, purchaseId, { report, origin }, (named) => named.sessionId === sessionId)
}

async function findPurchase(
  { purchases }: Pick<Ports, 'purchases'>,
  { sessionId, purchaseId }: SessionReport,
): Promise<Purchase | null> {
  const bySession = await purchases.findBySessionId(sessionId)
  return bySession ?? (purchaseId ? purchases.findById(purchaseId) : null)
}

/** Only a payment in our own mode is restored. A page without a payment is not. */
function findLostOrder(
  { notifications }: Pick<Ports, 'notifications'>,
  { order, outcome, live }: SessionReport,
): NamedOrder | null {
  const isWorthIt = outcome === 'paid' || outcome === 'processing' || outcome === 'unpaid'
  return isWorthIt && live === notifications.live ? order : null
}

type Reported = { readonly report: SessionReport; readonly origin: Origin }

/** By its id, since its address may be erased by now. */
async function settleById(
  ports: SettleDependencies,
  id: PurchaseId,
  { report, origin }: Reported,
  isMeant: (purchase: Purchase) => boolean = () => true,
): Promise<Step | null> {
  const settled = await ports.purchases.updateById(id, origin, (account, before) =>
    isMeant(before)
      ? takeStep(ports, { account, before, lost: null, report, now: origin.at })
      : NO_STEP,
  )
  return settled?.step ?? null
}

/**
 * Stores a purchase whose row is lost, unless another process has stored it in the meantime. Money for an order that is
 * not believed is put aside once it has come.
 */
async function settleLost(
  ports: SettleDependencies,
  order: NamedOrder,
  { report, origin }: Reported,
): Promise<Step | null> {
  const isBelieved = await isOrderBelieved(ports, order)
  if (!isBelieved && report.outcome !== 'paid') return null
  const reversals = await findReversals(ports, report.paymentIntentId)
  await applyReversals(ports, reversals, origin)

  const restored = restorePurchase(order, ports.notifications)
  const { step } = await ports.purchases.update(restored.email, origin, (account) => {
    const stored = account.purchases.find(({ id }) => id === restored.id)
    const before = stored ?? restored
    const lost = stored ? null : { ...reversals, isBelieved }
    return takeStep(ports, { account, before, lost, report, now: origin.at })
  })
  // Those that had been stored for long may have been pruned just before the purchase was there that they belong to.
  await applyReversals(ports, reversals, origin)
  return step
}

/** Whether this service made the order: its seal shows it, or, for want of a seal, a price that is asked for here. */
async function isOrderBelieved(
  { purchases, payments, notifications }: Pick<Ports, 'purchases' | 'payments' | 'notifications'>,
  { seal, price }: NamedOrder,
): Promise<boolean> {
  if (seal !== 'none') return seal === 'fits'
  const { live } = notifications
  return (
    (await purchases.isAskedPrice(price, { live })) || isSamePrice(await payments.price(), price)
  )
}

const NO_STEP = { purchase: null, messages: [], step: null }

/** No step where the report turns out to be about another session than the purchase's own. */
function takeStep(
  { rules }: Pick<Ports, 'rules'>,
  {
    account: { grants },
    before,
    lost,
    report,
    now,
  }: {
    account: Account
    before: Purchase
    /** The refunds and disputes of a purchase whose row is lost, and whether its order is believed. Null for others. */
    lost: (Reversals & { readonly isBelieved: boolean }) | null
    report: SessionReport
    now: Date
  },
): { purchase: Purchase | null; messages: readonly OutboxMessage[]; step: Step | null } {
  if (!isReportOf(report, before)) return NO_STEP
  const { refundDuplicates } = rules
  const isDuplicate = isDuplicatePayment(grants, before.id)
  const terms = { leastAmount: leastAmountOf(before.price, rules), isDuplicate, now }
  const isRefused = lost !== null && !lost.isBelieved
  const after = isRefused ? refuseOrder(before, report) : settlePurchase(before, report, terms)
  const messages = messagesAbout(
    { before, after, outcome: report.outcome, lost },
    { hasPremium: hasPremium(grants), refundDuplicates, now },
  )
  return { purchase: after, messages, step: { before, after, isRestored: lost !== null } }
}

function logStep(
  { log }: Pick<Ports, 'log'>,
  { before, after, isRestored }: Step,
  { by }: Origin,
): void {
  const fields = { purchase: after.id, session: after.sessionId, state: after.state, by }
  if (isRestored) log('purchase.restored', fields)
  if (before.state === after.state) return

  if (after.state === 'paid' && isErased(after.email)) {
    log('payment.address_erased', fields)
  } else if (after.state === 'review') {
    log('payment.needs_review', {
      ...fields,
      reason: after.reviewReason,
    })
  } else if (after.state === 'paid' && after.isDuplicate) {
    log('payment.duplicate', fields)
  } else {
    log('purchase.changed', fields)
  }
}
