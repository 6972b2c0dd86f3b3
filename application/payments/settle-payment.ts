import { isErased } from '../../domain/erasure.ts'
import type { Actor, Cause } from '../../domain/grant-change.ts'
import { messagesAbout } from '../../domain/outbox.ts'
import { hasPremium, isPaidTwice, type Reversals } from '../../domain/premium-grant.ts'
import {
  concerns,
  type Purchase,
  restorePurchase,
  type SessionReport,
  settlePurchase,
} from '../../domain/purchase.ts'
import type { PaymentNotification, Ports } from '../ports.ts'
import type { Account } from '../store.ts'
import {
  applyDisputes,
  applyRefunds,
  applyReversals,
  findReversals,
  type ReversalDependencies,
} from './apply-reversals.ts'

export type SettleDependencies = ReversalDependencies & Pick<Ports, 'clock' | 'rules'>

/** A purchase as a report left it, and whether that was news. */
type Settlement = { readonly purchase: Purchase; readonly isNews: boolean }

export function causeOf({ clock }: Pick<Ports, 'clock'>, origin: Omit<Cause, 'at'>): Cause {
  return { at: clock.now(), ...origin }
}

/**
 * Applies what the provider reports, in any order and any number of times, and says whether it was news. Durable once
 * it resolves.
 */
export async function settlePayment(
  ports: SettleDependencies,
  notification: PaymentNotification,
  by: Actor,
): Promise<boolean> {
  const source = notification.eventId
  const cause = causeOf(ports, { by, source })
  switch (notification.kind) {
    case 'session': {
      const settlement = await settleSession(ports, notification.report, by, source)
      return settlement?.isNews ?? false
    }
    case 'refund':
      return (await applyRefunds(ports, [notification.refund], cause)) > 0
    case 'refund_hint': {
      const refunds = await ports.payments.listRefunds(notification.paymentIntentId)
      return (await applyRefunds(ports, refunds, cause)) > 0
    }
    case 'dispute':
      return (await applyDisputes(ports, [notification.dispute], cause)) > 0
    case 'other':
      return false
  }
}

/**
 * Takes into account what the provider says about a session, whoever asked: webhook, success page, checkout, reconciler
 * or operator. Null when the session is not one of ours. A purchase of ours whose row is lost is restored from what the
 * session says was ordered, together with all that has been given back of it since.
 */
export async function settleSession(
  ports: SettleDependencies,
  report: SessionReport,
  by: Actor,
  source: string = report.sessionId,
): Promise<Settlement | null> {
  const cause = causeOf(ports, { by, source })
  const known = await findPurchase(ports, report)
  const purchase = known ?? findLost(ports, report)
  const lost = purchase && !known ? await findReversals(ports, report.paymentIntentId) : null
  if (lost) await applyReversals(ports, lost, cause)

  const settlement = purchase && (await settleOne(ports, { purchase, lost, report, cause }))
  if (!settlement && by === 'webhook') {
    ports.log.info('session of somebody else ignored', { session: report.sessionId })
  }
  return settlement
}

async function findPurchase(
  { purchases }: Pick<Ports, 'purchases'>,
  { sessionId, purchaseId }: SessionReport,
): Promise<Purchase | null> {
  const bySession = await purchases.findBySessionId(sessionId)
  return bySession ?? (purchaseId ? purchases.findById(purchaseId) : null)
}

/** Only money is worth a row: a page that nobody paid on is not, and money of the other mode is none. */
function findLost({ payments }: Pick<Ports, 'payments'>, report: SessionReport): Purchase | null {
  const isWorthIt = report.outcome === 'paid' || report.outcome === 'processing'
  const isOurMode = report.live === payments.live
  return report.order && isWorthIt && isOurMode ? restorePurchase(report.order, payments) : null
}

type Step = {
  readonly before: Purchase
  readonly after: Purchase
  readonly isRestored: boolean
}

/** Null when the report turns out to be about another session than the purchase's own. */
async function settleOne(
  ports: SettleDependencies,
  {
    purchase,
    lost,
    report,
    cause,
  }: {
    purchase: Purchase
    /** What has been given back of a purchase whose row is lost; null for any other. */
    lost: Reversals | null
    report: SessionReport
    cause: Cause
  },
): Promise<Settlement | null> {
  const settle = (account: Account, before: Purchase, missing: Reversals | null) =>
    concerns(report, before)
      ? takeStep(ports, { account, before, lost: missing, report, now: cause.at })
      : { purchase: null, step: null }
  const { purchases } = ports
  const settled = lost
    ? await purchases.update(purchase.email, cause, (account) => {
        const stored = account.purchases.find(({ id }) => id === purchase.id)
        return settle(account, stored ?? purchase, stored ? null : lost)
      })
    : // Its address may be erased by now.
      await purchases.updateById(purchase.id, cause, (account, stored) =>
        settle(account, stored, null),
      )
  if (!settled?.step) return null
  const { step } = settled
  logStep(ports, step, cause)
  return { purchase: step.after, isNews: step.isRestored || step.before.state !== step.after.state }
}

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
    lost: Reversals | null
    report: SessionReport
    now: Date
  },
) {
  const { allowPromotionCodes, refundDuplicates } = rules
  const isDuplicate = isPaidTwice(grants, before.id)
  const after = settlePurchase(before, report, { allowPromotionCodes, isDuplicate, now })
  const messages = messagesAbout(
    { before, after, outcome: report.outcome, lost },
    { hasPremium: hasPremium(grants), refundDuplicates, now },
  )
  return { purchase: after, messages, step: { before, after, isRestored: lost !== null } }
}

function logStep(
  { log }: Pick<Ports, 'log'>,
  { before, after, isRestored }: Step,
  { by }: Cause,
): void {
  const fields = { purchase: after.id, session: after.sessionId, state: after.state, by }
  if (isRestored) log.warn('lost purchase restored', fields)
  if (before.state === after.state) return
  if (after.state === 'paid' && isErased(after.email)) {
    log.error('payment of an address that was erased: it gives nobody access, send it back', fields)
  } else if (after.state === 'review') {
    log.error('payment needs review: the session is not what was asked for', {
      ...fields,
      reason: after.reviewReason,
    })
  } else if (after.state === 'paid' && after.isDuplicate) {
    log.warn('second payment for an address that has premium by a payment', fields)
  } else {
    log.info('purchase changed', fields)
  }
}
