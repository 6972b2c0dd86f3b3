import type { Origin } from '../../domain/grant-change.ts'
import type { Price } from '../../domain/order.ts'
import { attachSession, closePurchase, isReusable, type Purchase } from '../../domain/purchase.ts'
import type { SessionReport } from '../../domain/session-report.ts'
import { logPaymentOutage } from '../error-report.ts'
import type { CheckoutSession, Ports } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { originOf, type SettleDependencies, settleSession } from './settle-payment.ts'

/**
 * Asks the provider for the session of a purchase that has none yet. Null where that session was expired at once,
 * because another request has closed the purchase, or the price has changed.
 */
export async function createSession(
  ports: SettleDependencies,
  purchase: Purchase,
  price: Price,
): Promise<CheckoutSession | null> {
  const session = await askForSession(ports, purchase)
  const attached = await updatePurchase(ports, purchase, (current) =>
    attachSession(current, session.sessionId),
  )
  if (attached?.state === 'open' && isReusable(attached, price, ports.clock.now())) return session

  await expireSession(ports, purchase, session.sessionId)
  return null
}

async function askForSession(
  ports: SettleDependencies,
  purchase: Purchase,
): Promise<CheckoutSession> {
  try {
    return await ports.payments.createSession(purchase)
  } catch (error) {
    // Without an answer the session may exist: the next try asks for the same one, under the same key.
    if (error instanceof Unavailable && error.answered) await closeUnconfirmed(ports, purchase)
    throw error
  }
}

/**
 * Hands out the session of a purchase again, once the provider has said that it still takes money. Null when it does
 * not, or was expired for its price or its age.
 */
export async function reopenSession(
  ports: SettleDependencies,
  purchase: Purchase & { readonly sessionId: string },
  price: Price,
): Promise<CheckoutSession | null> {
  const { sessionId } = purchase
  const report = await ports.payments.readSession(sessionId)
  if (report?.outcome !== 'open') {
    await settleOrClose(ports, purchase, report)
    return null
  }
  if (report.url !== null && isReusable(purchase, price, ports.clock.now())) {
    return { sessionId, checkoutUrl: report.url }
  }
  await expireSession(ports, purchase, sessionId)
  return null
}

/** Ends a payment that still waits for its buyer, such as an unpaid voucher. Where that cannot be told, it stays. */
export async function endUnlessUnderWay(
  ports: SettleDependencies,
  purchase: Purchase & { readonly sessionId: string },
): Promise<void> {
  try {
    const report = await ports.payments.expireSession(purchase.sessionId)
    if (report) await settleSession(ports, report, 'checkout')
  } catch (error) {
    logPaymentOutage(ports, error, { purchase: purchase.id })
  }
}

/** Closes a purchase that has no session. One to which another request has attached its session stays open. */
export async function closeUnconfirmed(
  ports: SettleDependencies,
  purchase: Purchase,
): Promise<void> {
  await updatePurchase(ports, purchase, (current) =>
    current.sessionId === null ? closePurchase(current) : current,
  )
}

async function expireSession(
  ports: SettleDependencies,
  purchase: Purchase,
  sessionId: string,
): Promise<void> {
  const report = await ports.payments.expireSession(sessionId)
  await settleOrClose(ports, purchase, report)
}

/** A session that the provider does not know takes no money, so that its purchase is closed. */
async function settleOrClose(
  ports: SettleDependencies,
  purchase: Purchase,
  report: SessionReport | null,
): Promise<void> {
  if (report) await settleSession(ports, report, 'checkout')
  else await updatePurchase(ports, purchase, closePurchase)
}

async function updatePurchase(
  ports: SettleDependencies,
  { id }: Purchase,
  change: (current: Purchase) => Purchase,
): Promise<Purchase | null> {
  const updated = await ports.purchases.updateById(id, checkoutOrigin(ports), (_, current) => ({
    purchase: change(current),
  }))
  return updated?.purchase ?? null
}

/** The origin of every change by a checkout: no event of the provider is its source. */
export function checkoutOrigin(ports: Pick<Ports, 'clock'>): Origin {
  return originOf(ports, { by: 'checkout', source: null })
}
