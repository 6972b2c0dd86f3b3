import { isActive } from '../domain/premium-grant.ts'
import type { Purchase } from '../domain/purchase.ts'
import type { Ports } from './ports.ts'
import { type SettleDependencies, settleSession } from './settle-payment.ts'

type Dependencies = SettleDependencies & Pick<Ports, 'premiumGrants'>

export type PaymentStatus = 'active' | 'processing' | 'unpaid' | 'unknown'

/**
 * What became of a session, for the buyer who comes back from its payment page. Settles it on the way, so that a
 * late notification, or a row that was lost, costs the buyer nothing; what the database knows to be paid is not asked about again.
 */
export async function checkPayment(ports: Dependencies, sessionId: string): Promise<PaymentStatus> {
  const known = await ports.purchases.findBySessionId(sessionId)
  if (known?.state === 'paid') return paidStatus(ports, known)

  const report = await ports.payments.readSession(sessionId)
  if (!report) return 'unknown'
  const settled = (await settleSession(ports, report, 'page'))?.purchase ?? known
  if (!settled) return 'unknown'
  switch (settled.state) {
    case 'paid':
      return paidStatus(ports, settled)
    case 'processing':
    case 'review':
    case 'open':
      return 'processing'
    case 'closed':
      return 'unpaid'
  }
}

/** Money that was given back or taken back no longer counts as paid. */
async function paidStatus(
  { premiumGrants }: Pick<Ports, 'premiumGrants'>,
  { id, email }: Purchase,
): Promise<PaymentStatus> {
  const grants = await premiumGrants.findByEmail(email)
  return grants.some((grant) => grant.id === id && isActive(grant)) ? 'active' : 'unpaid'
}
