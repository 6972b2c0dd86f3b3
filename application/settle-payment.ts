import { isPaidTwice, mergeDispute, mergeRefund } from '../domain/premium-grant.ts'
import { concerns, type Purchase, type SessionReport, settlePurchase } from '../domain/purchase.ts'
import type { PaymentNotification, Ports } from './ports.ts'

type SettleDependencies = Pick<Ports, 'purchases' | 'clock' | 'rules' | 'log'>
type Dependencies = SettleDependencies & Pick<Ports, 'refunds' | 'disputes' | 'payments'>

/** Applies what the provider reports, in any order and any number of times. Durable once it resolves. */
export async function settlePayment(
  ports: Dependencies,
  notification: PaymentNotification,
): Promise<void> {
  switch (notification.kind) {
    case 'session':
      await settleSession(ports, notification.report)
      return
    case 'refund':
      await ports.refunds.update([notification.refund], mergeRefund)
      return
    case 'refund_hint': {
      const refunds = await ports.payments.listRefunds(notification.paymentIntentId)
      await ports.refunds.update(refunds, mergeRefund)
      return
    }
    case 'dispute':
      await ports.disputes.update(notification.dispute.id, (known) =>
        mergeDispute(known, notification.dispute),
      )
      return
    case 'other':
      return
  }
}

/**
 * Takes into account what the provider says about a session, whoever asked: webhook, success page or checkout.
 * Returns the purchase as it stands then, or null when the session is not one of ours.
 */
export async function settleSession(
  ports: SettleDependencies,
  report: SessionReport,
): Promise<Purchase | null> {
  const known = await findPurchase(ports, report)
  const settled = known && (await settleKnown(ports, known, report))
  if (settled) return settled

  ports.log.info('session of somebody else ignored', { session: report.sessionId })
  return null
}

/** Null when the report turns out to be about another session than the purchase's own. */
async function settleKnown(
  ports: SettleDependencies,
  { id, email }: Purchase,
  report: SessionReport,
): Promise<Purchase | null> {
  const { purchase, change } = await ports.purchases.update(email, ({ purchases, grants }) => {
    const before = purchases.find((purchase) => purchase.id === id)
    if (!before || !concerns(report, before)) return { purchase: null, change: null }

    const { allowPromotionCodes } = ports.rules
    const now = ports.clock.now()
    const after = settlePurchase(before, report, { allowPromotionCodes, now })
    return { purchase: after, change: { before, after, isSecond: isPaidTwice(grants, id) } }
  })
  if (change) logChange(ports, change)
  return purchase
}

async function findPurchase(
  { purchases }: Pick<Ports, 'purchases'>,
  { sessionId, purchaseId }: SessionReport,
): Promise<Purchase | null> {
  const bySession = await purchases.findBySessionId(sessionId)
  return bySession ?? (purchaseId ? purchases.findById(purchaseId) : null)
}

function logChange(
  { log }: Pick<Ports, 'log'>,
  { before, after, isSecond }: { before: Purchase; after: Purchase; isSecond: boolean },
): void {
  if (before.state === after.state) return
  const fields = { purchase: after.id, session: after.sessionId, state: after.state }
  if (after.state === 'review') {
    log.error('payment needs review: the session is not what was asked for', {
      ...fields,
      reason: after.reviewReason,
    })
  } else if (after.state === 'paid' && isSecond) {
    log.warn('second payment for an address that has premium by a payment', fields)
  } else {
    log.info('purchase changed', fields)
  }
}
