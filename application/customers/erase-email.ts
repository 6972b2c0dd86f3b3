import type { Email } from '../../domain/email.ts'
import { mayStillBePaid } from '../../domain/erasure.ts'
import { nextEpoch } from '../../domain/log-out.ts'
import type { PurchaseId } from '../../domain/order.ts'
import { awaitsReview, closePurchase, type Purchase } from '../../domain/purchase.ts'
import { logPaymentOutage } from '../error-report.ts'
import { originOf, type SettleDependencies, settleSession } from '../payments/settle-payment.ts'
import type { Ports } from '../ports.ts'
import type { KeptRecords, PersonalRecords } from '../store.ts'

type Dependencies = SettleDependencies & Pick<Ports, 'personalData' | 'secrets'>

export type Erasure =
  | {
      readonly outcome: 'erased'
      /** The name that takes the place of the address. */
      readonly name: Email
      readonly kept: KeptRecords
      /**
       * Purchases with money that was not asked for and has not been sent back. An operator still has to review them.
       */
      readonly awaitReview: readonly PurchaseId[]
    }
  /** Nothing is stored about the address. */
  | { readonly outcome: 'unknown' }
  | {
      readonly outcome: 'refused'
      readonly reason: ErasureRefusal
      /** The purchase that is in the way. */
      readonly purchase: PurchaseId
    }

/** Why an address cannot be erased at this moment. */
export type ErasureRefusal =
  | 'payment_processing'
  /** Its payment page could only be closed after it had been paid on. */
  | 'paid_meanwhile'
  /** A payment page has just been opened. */
  | 'page_opened'
  /** The provider cannot be asked to close a payment page, or for the outcome of a payment. */
  | 'provider_unavailable'

/**
 * Removes an address from the database in one step. Records that bookkeeping needs stay, under an anonymous name. No
 * payment may arrive for the address afterwards: an open payment page is closed at the provider first. Where that
 * fails, or a payment is on its way, nothing is erased.
 */
export async function eraseEmail(ports: Dependencies, email: Email): Promise<Erasure> {
  const records = await ports.personalData.find(email)
  if (!isAnythingKnown(records)) return { outcome: 'unknown' }

  for (const purchase of records.purchases.filter(mayStillBePaid)) {
    const reason = await endPayment(ports, purchase)
    if (reason) return { outcome: 'refused', reason, purchase: purchase.id }
  }

  return eraseRecords(ports, email)
}

function isAnythingKnown(records: PersonalRecords): boolean {
  return Object.values(records).some((known) => (Array.isArray(known) ? known.length > 0 : known))
}

/** Ends a payment, so that no more money can come. Returns why the address cannot be erased, or null. */
async function endPayment(ports: Dependencies, purchase: Purchase): Promise<ErasureRefusal | null> {
  try {
    const ended = await readEnd(ports, purchase)
    if (ended === 'closed') return null
    return ended === 'paid' || ended === 'review' ? 'paid_meanwhile' : 'payment_processing'
  } catch (error) {
    logPaymentOutage(ports, error, { purchase: purchase.id })
    return 'provider_unavailable'
  }
}

/** The state that the purchase has once the provider has been asked to end it. */
async function readEnd(
  ports: Dependencies,
  { id, state, sessionId }: Purchase,
): Promise<Purchase['state']> {
  if (sessionId === null) return state
  const { payments } = ports
  const report = await (state === 'open'
    ? payments.expireSession(sessionId)
    : payments.readSession(sessionId))
  if (report) return (await settleSession(ports, report, 'operator'))?.purchase.state ?? state
  // The provider does not know the page, so that it takes no money. Money on its way may still come.
  if (state !== 'open') return state
  const origin = originOf(ports, { by: 'operator', source: sessionId })
  const closed = await ports.purchases.updateById(id, origin, (_, current) => ({
    purchase: closePurchase(current),
  }))
  return closed?.purchase?.state ?? 'closed'
}

/** Nothing is erased where a payment has become possible since the others were ended. */
async function eraseRecords(ports: Dependencies, email: Email): Promise<Erasure> {
  const name = ports.secrets.newErasedEmail()
  // Another replica may know one of the keys alone.
  const digests = ports.secrets.erasureDigests(email)
  const origin = originOf(ports, { by: 'operator', source: 'erase' })
  let inTheWay: Purchase | undefined
  let awaitReview: readonly PurchaseId[] = []
  const kept = await ports.personalData.erase(
    email,
    { name, digests, origin },
    (account, epoch) => {
      inTheWay = account.purchases.find(mayStillBePaid)
      if (inTheWay) return null
      awaitReview = account.purchases
        .filter((purchase) => awaitsReview(purchase, account))
        .map(({ id }) => id)
      const open = account.purchases.filter(({ state }) => state === 'open')
      return { closed: open.map(closePurchase), epoch: nextEpoch(epoch, ports.clock.now()) }
    },
  )
  if (kept) return { outcome: 'erased', name, kept, awaitReview }
  if (!inTheWay) return { outcome: 'unknown' }
  const reason = inTheWay.state === 'open' ? 'page_opened' : 'payment_processing'
  return { outcome: 'refused', reason, purchase: inTheWay.id }
}
