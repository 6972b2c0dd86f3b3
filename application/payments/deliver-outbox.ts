import { isErased } from '../../domain/erasure.ts'
import type { Origin } from '../../domain/grant-change.ts'
import type { PurchaseId } from '../../domain/order.ts'
import {
  beginAttempt,
  draftMessage,
  endMessage,
  type OutboxKind,
  type OutboxMessage,
} from '../../domain/outbox.ts'
import { hasOtherRetainedPayment, isActive } from '../../domain/premium-grant.ts'
import { acceptDuplicate } from '../../domain/purchase.ts'
import { logFailure } from '../error-report.ts'
import type { LogFields, Ports } from '../ports.ts'
import type { Account } from '../store.ts'
import { Unavailable } from '../unavailable.ts'
import type { Stopping } from '../upkeep/leadership.ts'
import { applyRefunds, type ReversalDependencies, readReversals } from './apply-reversals.ts'

type Dependencies = ReversalDependencies & Pick<Ports, 'outbox' | 'mailer' | 'clock' | 'rules'>

/** The kinds of messages, by provider. A provider that is down does not delay the messages of the other one. */
const CHANNELS: readonly Channel[] = [
  { kinds: ['duplicate_refund'], atOnce: 1 },
  // A mail that its server puts off does not delay the others.
  { kinds: ['payment_confirmed', 'payment_failed'], atOnce: 5 },
]

type Channel = { readonly kinds: readonly OutboxKind[]; readonly atOnce: number }

/**
 * Carries out the messages that are due. The attempt, and the moment of the next one, are stored before the provider is
 * asked. Every attempt at a message uses the same key. A process that is killed loses no message, and carries out none
 * twice while the provider remembers the key. A failure is logged and ends the round of its channel, but for one of a
 * message alone that is refused for good: an operator has to see to that. Throws `Unavailable('storage')` where no
 * message can be taken.
 */
export async function deliverOutbox(ports: Dependencies, stopping: Stopping): Promise<void> {
  const rounds = CHANNELS.map((channel) => drain(ports, channel, stopping))
  const ends = await Promise.allSettled(rounds)
  const broken = ends.find((end) => end.status === 'rejected')
  if (broken) throw broken.reason
}

async function drain(
  ports: Dependencies,
  { kinds, atOnce }: Channel,
  stopping: Stopping,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  let isOut = false

  function begin(message: OutboxMessage): void {
    const work = deliver(ports, message).then((goesOn) => {
      underWay.delete(work)
      isOut ||= !goesOn
    })
    underWay.add(work)
  }

  try {
    while (!stopping.aborted && !isOut) {
      const now = ports.clock.now()
      const message =
        underWay.size < atOnce
          ? await ports.outbox.takeDue({ kinds, now }, (due) => beginAttempt(due, now))
          : null
      if (message) begin(message)
      else if (underWay.size === 0) return
      else await Promise.race(underWay)
    }
  } finally {
    await Promise.all(underWay)
  }
}

/** False where it failed, so that others would fare no better. */
async function deliver(ports: Dependencies, message: OutboxMessage): Promise<boolean> {
  const { key: outbox, kind, purchaseId: purchase, attempts } = message
  const fields = { outbox, kind, purchase, attempts }
  try {
    const end = message.state === 'given_up' ? 'given_up' : await attempt(ports, message, fields)
    if (message.state !== end) {
      await ports.outbox.update(outbox, (taken) => endMessage(taken, end, ports.clock.now()))
    }
    if (end === 'given_up') ports.log('outbox.given_up', fields)
    else ports.log('outbox.ended', { ...fields, end })
    return true
  } catch (error) {
    logFailure(ports, error, 'outbox.failed', fields)
    return false
  }
}

async function attempt(
  ports: Dependencies,
  message: OutboxMessage,
  fields: LogFields,
): Promise<'done' | 'dropped' | 'given_up'> {
  try {
    return await carryOut(ports, message)
  } catch (error) {
    if (!(error instanceof Unavailable && error.isForGood)) throw error
    logFailure(ports, error, 'outbox.failed', fields)
    return 'given_up'
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
