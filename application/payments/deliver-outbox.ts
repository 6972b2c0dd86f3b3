import { isErased } from '../../domain/erasure.ts'
import type { Origin } from '../../domain/grant-change.ts'
import {
  beginAttempt,
  draftMessage,
  endMessage,
  type OutboxKind,
  type OutboxMessage,
} from '../../domain/outbox.ts'
import { hasOtherRetainedPayment, isActive } from '../../domain/premium-grant.ts'
import { acceptDuplicate, type PurchaseId } from '../../domain/purchase.ts'
import { logFailure } from '../error-report.ts'
import type { Ports } from '../ports.ts'
import type { Account } from '../store.ts'
import type { Stopping } from '../upkeep/leadership.ts'
import { applyRefunds, type ReversalDependencies, readReversals } from './apply-reversals.ts'

type Dependencies = ReversalDependencies & Pick<Ports, 'outbox' | 'mailer' | 'clock' | 'rules'>

/** The kinds of messages, by provider. A provider that is down does not delay the messages of the other one. */
const CHANNELS: readonly (readonly OutboxKind[])[] = [
  ['duplicate_refund'],
  ['payment_confirmed', 'payment_failed'],
]

/**
 * Carries out the messages that are due. The attempt, and the moment of the next one, are stored before the provider is
 * asked. Every attempt at a message uses the same key. A process that is killed loses no message, and carries out none
 * twice while the provider remembers the key. A failure is logged and ends the round of its channel. Throws
 * `Unavailable('storage')` where no message can be taken.
 */
export async function deliverOutbox(ports: Dependencies, stopping: Stopping): Promise<void> {
  const rounds = CHANNELS.map((kinds) => drain(ports, kinds, stopping))
  const ends = await Promise.allSettled(rounds)
  const broken = ends.find((end) => end.status === 'rejected')
  if (broken) throw broken.reason
}

async function drain(
  ports: Dependencies,
  kinds: readonly OutboxKind[],
  stopping: Stopping,
): Promise<void> {
  while (!stopping.aborted) {
    const now = ports.clock.now()
    const message = await ports.outbox.takeDue({ kinds, now }, (due) => beginAttempt(due, now))
    if (!message) return
    const { key: outbox, kind, purchaseId: purchase, attempts } = message
    const fields = { outbox, kind, purchase, attempts }
    if (message.state === 'given_up') {
      ports.log('outbox.given_up', fields)
      continue
    }

    try {
      const end = await carryOut(ports, message)
      await ports.outbox.update(outbox, (taken) => endMessage(taken, end, ports.clock.now()))
      ports.log('outbox.ended', { ...fields, end })
    } catch (error) {
      logFailure(ports, error, 'outbox.failed', fields)
      return
    }
  }
}

async function carryOut(ports: Dependencies, message: OutboxMessage): Promise<'done' | 'dropped'> {
  const { kind, key, email: to, language, amount } = message
  if (kind === 'duplicate_refund') return refundDuplicate(ports, message)
  if (isErased(to)) return 'dropped'
  await ports.mailer.sendPaymentNotice({ kind, key, to, language, amount })
  return 'done'
}

/**
 * Checks again, right before the refund, whether the payment is still a duplicate: the other payment may have been
 * refunded since or, with a restored backup, long ago.
 */
async function refundDuplicate(
  ports: Dependencies,
  { key, purchaseId }: OutboxMessage,
): Promise<'done' | 'dropped'> {
  if (!ports.rules.refundDuplicates) return 'dropped'
  const origin: Origin = { at: ports.clock.now(), by: 'outbox', source: key }
  const account = await rereadAccount(ports, purchaseId, origin)
  const paymentIntentId = account?.purchases.find(({ id }) => id === purchaseId)?.paymentIntentId
  if (!account || !paymentIntentId) return 'dropped'
  if (!hasOtherRetainedPayment(account.grants, purchaseId)) {
    await acceptPayment(ports, purchaseId, origin)
    return 'dropped'
  }

  const refunds = await ports.payments.refundPayment({ paymentIntentId, key })
  await applyRefunds(ports, refunds, origin)
  return 'done'
}

/** The account of a purchase, after the refunds and disputes of all its payments were read from the provider. */
async function rereadAccount(
  ports: Dependencies,
  id: PurchaseId,
  origin: Origin,
): Promise<Account | null> {
  const known = await ports.purchases.findAccountByPurchase(id)
  if (!known) return null
  for (const { paymentIntentId } of known.purchases) {
    await readReversals(ports, paymentIntentId, origin)
  }
  return ports.purchases.findAccountByPurchase(id)
}

/** Accepts a duplicate payment that is the only payment now. The buyer gets a mail where it gives premium. */
async function acceptPayment(
  { purchases }: Dependencies,
  id: PurchaseId,
  origin: Origin,
): Promise<void> {
  await purchases.updateById(id, origin, ({ grants }, current) => {
    const givesPremium = grants.some((grant) => grant.id === id && isActive(grant))
    return {
      purchase: acceptDuplicate(current),
      messages: givesPremium ? [draftMessage('payment_confirmed', current, origin.at)] : [],
    }
  })
}
