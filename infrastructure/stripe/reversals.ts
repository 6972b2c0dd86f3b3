import type Stripe from 'stripe'
import type { Listed, ListPage, ListWindow, PaymentCalls } from '../../application/ports.ts'
import type { Dispute } from '../../domain/dispute.ts'
import type { Refund } from '../../domain/refund.ts'
import { expectObject, isInvalidRequest } from './answers.ts'
import { toDate, toDispute, toRefund } from './objects.ts'
import { readAllPages, readPage, windowParams } from './pages.ts'

// Money that goes back to the buyer: https://docs.stripe.com/api/refunds and /disputes.

/** How to read a dispute that comes from a list rather than from an event. */
type DisputeReading = {
  readonly live: boolean
  /** A moment before the request was sent, in whole seconds as in events: the answer is no older. */
  readonly reportedAt: Date
}

export async function listRefunds(
  stripe: Stripe,
  paymentIntentId: string,
): Promise<readonly Refund[]> {
  const answers = await readAllPages(
    (page) => stripe.refunds.list({ ...page, payment_intent: paymentIntentId }),
    'refund',
  )
  return answers.map((answer) => expectPayment(toRefund(answer), paymentIntentId))
}

export async function listDisputes(
  stripe: Stripe,
  paymentIntentId: string,
  reading: DisputeReading,
): Promise<readonly Dispute[]> {
  const answers = await readAllPages(
    (page) => stripe.disputes.list({ ...page, payment_intent: paymentIntentId }),
    'dispute',
  )
  return answers.map((answer) => expectPayment(readDispute(answer, reading), paymentIntentId))
}

/** Without an amount Stripe sends back all that is left. */
export async function refundPayment(
  stripe: Stripe,
  { paymentIntentId, key }: Parameters<PaymentCalls['refundPayment']>[0],
): Promise<readonly Refund[]> {
  async function create(idempotencyKey: string): Promise<void> {
    const answer = await stripe.refunds.create(
      { payment_intent: paymentIntentId, reason: 'duplicate' },
      { idempotencyKey },
    )
    expectPayment(toRefund(expectObject(answer, 'refund')), paymentIntentId)
  }

  try {
    await create(key).catch((error) => {
      // A refusal that Stripe only repeats says nothing of now: its reason may be gone.
      if (!isInvalidRequest(error) || error.headers?.['idempotent-replayed'] !== 'true') throw error
      return create(`${key}:${error.requestId}`)
    })
  } catch (error) {
    if (!isInvalidRequest(error) || error.code !== 'charge_already_refunded') throw error
  }
  return listRefunds(stripe, paymentIntentId)
}

export async function findRefunds(
  stripe: Stripe,
  window: ListWindow,
): Promise<ListPage<Listed<Refund>>> {
  const answer = await stripe.refunds.list(windowParams(window))
  return readPage(answer, 'refund', (refund) => listed(toRefund(refund), refund))
}

export async function findDisputes(
  stripe: Stripe,
  window: ListWindow,
  reading: DisputeReading,
): Promise<ListPage<Listed<Dispute>>> {
  const answer = await stripe.disputes.list(windowParams(window))
  return readPage(answer, 'dispute', (dispute) => listed(readDispute(dispute, reading), dispute))
}

function listed<Reversal extends Refund | Dispute>(
  reversal: Reversal | null,
  { created }: { created: number },
): Listed<Reversal> | null {
  if (reversal === null) return null
  if (!Number.isSafeInteger(created)) throw new Error('an object without the time of its making')
  return { ...reversal, createdAt: toDate(created) }
}

/** Null for a dispute of the other mode, too. */
function readDispute(
  dispute: Stripe.Dispute,
  { live, reportedAt }: DisputeReading,
): Dispute | null {
  const isOtherMode = dispute.livemode === !live
  return isOtherMode ? null : toDispute(dispute, reportedAt)
}

function expectPayment<Reversal extends Refund | Dispute>(
  reversal: Reversal | null,
  paymentIntentId: string,
): Reversal {
  if (reversal?.paymentIntentId !== paymentIntentId) throw new Error('about another payment')
  return reversal
}
