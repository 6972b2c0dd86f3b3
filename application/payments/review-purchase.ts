import type { AuditEntry } from '../../domain/grant-change.ts'
import type { PurchaseId } from '../../domain/order.ts'
import type { OutboxMessage } from '../../domain/outbox.ts'
import type { PremiumGrant, Reversals } from '../../domain/premium-grant.ts'
import { awaitsReview, type Purchase, reversalsOf } from '../../domain/purchase.ts'
import { logPaymentOutage } from '../error-report.ts'
import type { Ports } from '../ports.ts'
import { readReversals } from './apply-reversals.ts'
import { originOf, type SettleDependencies, settleSession } from './settle-payment.ts'

type Dependencies = SettleDependencies & Pick<Ports, 'auditTrail' | 'outbox'>

export type PurchaseReview = Reversals & {
  readonly purchase: Purchase
  /** Null while it is not paid. */
  readonly grant: PremiumGrant | null
  readonly awaitsReview: boolean
  readonly messages: readonly OutboxMessage[]
  readonly audit: readonly AuditEntry[]
  /** Whether the provider was read just now; `missing` when it does not know the session. */
  readonly provider: 'read' | 'missing' | 'no_session' | 'unavailable' | 'refused'
}

/**
 * Reads a purchase from the provider again, applies what it finds, and returns everything known about it. Where the
 * provider is out of reach, returns what is stored. Null for an unknown id.
 */
export async function reviewPurchase(
  ports: Dependencies,
  id: PurchaseId,
): Promise<PurchaseReview | null> {
  const known = await ports.purchases.findById(id)
  if (!known) return null

  const provider = await readProvider(ports, known)
  const account = await ports.purchases.findAccount(known.email)
  const purchase = account.purchases.find((one) => one.id === id) ?? known
  const audit = await ports.auditTrail.findByEmail(known.email)
  const reversals = reversalsOf(purchase, account)
  return {
    purchase,
    grant: account.grants.find((grant) => grant.id === id) ?? null,
    ...reversals,
    awaitsReview: awaitsReview(purchase, reversals),
    messages: await ports.outbox.findByPurchase(id),
    audit: audit.filter(({ grantId }) => grantId === id),
    provider,
  }
}

async function readProvider(
  ports: Dependencies,
  { sessionId }: Purchase,
): Promise<PurchaseReview['provider']> {
  if (sessionId === null) return 'no_session'
  try {
    const report = await ports.payments.readSession(sessionId)
    if (!report) return 'missing'
    const origin = originOf(ports, { by: 'operator', source: sessionId })
    await readReversals(ports, report.paymentIntentId, origin)
    await settleSession(ports, report, 'operator')
    return 'read'
  } catch (error) {
    const { needsOperator } = logPaymentOutage(ports, error, { session: sessionId })
    return needsOperator ? 'refused' : 'unavailable'
  }
}
