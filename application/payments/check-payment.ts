import type { Email } from '../../domain/email.ts'
import { isErased } from '../../domain/erasure.ts'
import { isRetained } from '../../domain/premium-grant.ts'
import { hasPaymentUnderWay, type Purchase, reversalsOf } from '../../domain/purchase.ts'
import { checkPremium } from '../access/check-premium.ts'
import { logPaymentOutage } from '../error-report.ts'
import type { Ports } from '../ports.ts'
import { type SettleDependencies, settleSession } from './settle-payment.ts'

/**
 * `unpaid`: no money came, and none will. `ended`: money came, but gives no access, or none any more. `unavailable`:
 * no purchase here has the session, and too many such sessions were asked about just now to ask about it.
 */
export type PaymentStatus = 'active' | 'processing' | 'unpaid' | 'ended' | 'unknown' | 'unavailable'

/**
 * The status of a session, for the buyer who comes back from its payment page. Settles the session first, so that a
 * late notification, or a row that was lost, costs the buyer nothing. A purchase that is stored as paid is not read
 * from the provider again.
 */
export async function checkPayment(
  ports: SettleDependencies & Pick<Ports, 'sessionQuestions' | 'access' | 'secrets'>,
  sessionId: string,
): Promise<PaymentStatus> {
  const known = await ports.purchases.findBySessionId(sessionId)
  if (known?.state === 'paid') return statusOfPaid(ports, known)
  if (!known && !ports.sessionQuestions.take(sessionId)) return 'unavailable'

  const report = await ports.payments.readSession(sessionId)
  if (!report) return 'unknown'
  const settled = (await settleSession(ports, report, 'page'))?.purchase ?? known
  if (!settled) return 'unknown'
  switch (settled.state) {
    case 'paid':
    case 'review':
      return statusOfPaid(ports, settled)
    case 'processing':
    case 'open':
      return 'processing'
    case 'closed':
      return 'unpaid'
  }
}

/**
 * Access matters more than this one payment: a buyer with access by another grant reads `active`, also where this
 * payment was a duplicate and was refunded. Money that was not asked for reads `processing` until an operator has sent
 * it back.
 */
async function statusOfPaid(
  ports: Pick<Ports, 'purchases' | 'access' | 'secrets'>,
  purchase: Extract<Purchase, { state: 'paid' | 'review' }>,
): Promise<PaymentStatus> {
  // Money that came for an erased address is a grant without a user.
  if (isErased(purchase.email)) return 'ended'
  if (await checkPremium(ports, purchase.email)) return 'active'
  if (purchase.state === 'paid') return 'ended'
  const account = await ports.purchases.findAccount(purchase.email)
  const payment = { amountPaid: purchase.amountReceived, ...reversalsOf(purchase, account) }
  return isRetained(payment) ? 'processing' : 'ended'
}

/**
 * Whether the address has nothing to buy, since its money is on its way or waits for an operator. A payment that still
 * waits for its buyer, such as a voucher, is none. What the provider says of it is settled first; while the provider is
 * out of reach, what is stored counts.
 */
export async function isPaymentUnderWay(ports: SettleDependencies, email: Email): Promise<boolean> {
  const account = await ports.purchases.findAccount(email)
  const purchase = account.purchases.find(({ state }) => state === 'processing')
  if (!purchase || purchase.sessionId === null) return hasPaymentUnderWay(account)
  try {
    const report = await ports.payments.readSession(purchase.sessionId)
    if (report) await settleSession(ports, report, 'page')
    if (report?.outcome === 'unpaid') return false
  } catch (error) {
    logPaymentOutage(ports, error, { purchase: purchase.id })
  }
  return hasPaymentUnderWay(await ports.purchases.findAccount(email))
}
