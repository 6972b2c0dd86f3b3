import { type Dispute, mergeDispute } from '../../domain/dispute.ts'
import type { Cause } from '../../domain/grant-change.ts'
import { isActive, type Reversals } from '../../domain/premium-grant.ts'
import { mergeRefund, type Refund } from '../../domain/refund.ts'
import type { Ports } from '../ports.ts'

export type ReversalDependencies = Pick<
  Ports,
  'purchases' | 'refunds' | 'disputes' | 'payments' | 'log'
>

/** Takes refunds into account, in any order and any number of times, and says how many were news. */
export async function applyRefunds(
  ports: ReversalDependencies,
  refunds: readonly Refund[],
  cause: Cause,
): Promise<number> {
  const news = await ports.refunds.update(refunds, cause, mergeRefund)
  const bounced = refunds.filter(({ state }) => state === 'failed')
  if (news > 0) await reportPaidTwice(ports, bounced)
  return news
}

/** As `applyRefunds`. */
export async function applyDisputes(
  ports: ReversalDependencies,
  disputes: readonly Dispute[],
  cause: Cause,
): Promise<number> {
  const news = await ports.disputes.update(disputes, cause, mergeDispute)
  const won = disputes.filter(({ state }) => state === 'won')
  if (news > 0) await reportPaidTwice(ports, won)
  return news
}

/** Reads what has been given back of a payment, or is disputed, and says how much of that was news. */
export async function readReversals(
  ports: ReversalDependencies,
  paymentIntentId: string | null,
  cause: Cause,
): Promise<number> {
  return applyReversals(ports, await findReversals(ports, paymentIntentId), cause)
}

export async function findReversals(
  { payments }: Pick<Ports, 'payments'>,
  paymentIntentId: string | null,
): Promise<Reversals> {
  if (paymentIntentId === null) return { refunds: [], disputes: [] }
  return {
    refunds: await payments.listRefunds(paymentIntentId),
    disputes: await payments.listDisputes(paymentIntentId),
  }
}

export async function applyReversals(
  ports: ReversalDependencies,
  { refunds, disputes }: Reversals,
  cause: Cause,
): Promise<number> {
  const newRefunds = await applyRefunds(ports, refunds, cause)
  return newRefunds + (await applyDisputes(ports, disputes, cause))
}

/**
 * Logs where an address has paid twice, now that money has come back to us. Only the operator can say which of the
 * payments is one too many.
 */
async function reportPaidTwice(
  { purchases, log }: ReversalDependencies,
  returned: readonly (Refund | Dispute)[],
): Promise<void> {
  for (const paymentIntentId of new Set(returned.map((one) => one.paymentIntentId))) {
    const purchase = await purchases.findByPaymentIntentId(paymentIntentId)
    if (!purchase) continue
    const { grants } = await purchases.findAccount(purchase.email)
    const paid = grants.filter((grant) => grant.payment !== null && isActive(grant))
    if (paid.length < 2) continue
    log('payment.duplicate_kept', {
      purchase: purchase.id,
      paid: paid.map(({ id }) => id).join(' '),
    })
  }
}
