import { type Dispute, mergeDispute } from '../../domain/dispute.ts'
import type { Origin } from '../../domain/grant-change.ts'
import { isActive, type Reversals } from '../../domain/premium-grant.ts'
import { mergeRefund, type Refund } from '../../domain/refund.ts'
import { FOREIGN_REVERSALS_KEPT_MS } from '../../domain/retention.ts'
import type { Ports } from '../ports.ts'

export type ReversalDependencies = Pick<
  Ports,
  'purchases' | 'refunds' | 'disputes' | 'payments' | 'log'
>

/** Takes refunds into account, in any order and any number of times, and says how many states changed. */
export async function applyRefunds(
  ports: ReversalDependencies,
  refunds: readonly Refund[],
  origin: Origin,
): Promise<number> {
  const changes = await ports.refunds.update(refunds, origin, mergeRefund)
  const bounced = refunds.filter(({ state }) => state === 'failed')
  if (changes > 0) await reportDuplicatePayments(ports, bounced)
  return changes
}

/** As `applyRefunds`. */
export async function applyDisputes(
  ports: ReversalDependencies,
  disputes: readonly Dispute[],
  origin: Origin,
): Promise<number> {
  const changes = await ports.disputes.update(disputes, origin, mergeDispute)
  const won = disputes.filter(({ state }) => state === 'won')
  if (changes > 0) await reportDuplicatePayments(ports, won)
  return changes
}

/** Reads the refunds and disputes of a payment from the provider, and returns how many states changed. */
export async function readReversals(
  ports: ReversalDependencies,
  paymentIntentId: string | null,
  origin: Origin,
): Promise<number> {
  return applyReversals(ports, await findReversals(ports, paymentIntentId), origin)
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
  origin: Origin,
): Promise<number> {
  const newRefunds = await applyRefunds(ports, refunds, origin)
  return newRefunds + (await applyDisputes(ports, disputes, origin))
}

/**
 * Whether a refund or a dispute that the reconciler comes across is worth keeping. One of a payment of which no
 * purchase is known is not, once it is older than what is pruned: it would come back day after day. While a purchase
 * has been open for as long, its payment may be that one's.
 */
export async function isWorthKeeping(
  { purchases }: Pick<Ports, 'purchases'>,
  paymentIntentId: string,
  { madeAt, now }: { madeAt: Date | null; now: Date },
): Promise<boolean> {
  const prunedUpTo = new Date(now.getTime() - FOREIGN_REVERSALS_KEPT_MS)
  if (madeAt === null || madeAt > prunedUpTo) return true
  if (await purchases.findByPaymentIntentId(paymentIntentId)) return true

  const [oldest] = await purchases.list({ states: ['open'], after: null, limit: 1 })
  return oldest !== undefined && oldest.createdAt <= prunedUpTo
}

/**
 * Logs where an address has paid twice, now that money has come back to us. Only the operator can say which of the
 * payments is one too many.
 */
async function reportDuplicatePayments(
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
