import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Cause } from '../../domain/grant-change.ts'
import type { Language } from '../../domain/language.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import {
  attachSession,
  canStillBeCreated,
  closePurchase,
  draftPurchase,
  findOpenPurchase,
  isReusable,
  type Price,
  type Purchase,
  refuseSecondPayment,
} from '../../domain/purchase.ts'
import { isVerified } from '../../domain/verification.ts'
import type { CheckoutSession, Ports } from '../ports.ts'
import type { Account } from '../store.ts'
import { Unavailable } from '../unavailable.ts'
import { causeOf, type SettleDependencies, settleSession } from './settle-payment.ts'

type Dependencies = SettleDependencies & Pick<Ports, 'secrets'>

type Buyer = { email: Email; language: Language }

/** One round retires what is in the way (an old price, a page about to close), the next one opens the session. */
const ROUNDS_MAX = 3

/**
 * Opens the payment page of a verified address, or the one it already has: never two that can be paid. Throws
 * `email_not_verified`, `premium_already_active`, `payment_processing` or `Unavailable('payment')`.
 */
export async function startCheckout(ports: Dependencies, buyer: Buyer): Promise<CheckoutSession> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const session = await openSession(ports, buyer)
    if (session) return session
  }
  throw new Unavailable('payment', { cause: new Error('the session in the way does not go away') })
}

/** Null when what was open had to be settled or retired first, so that the address has to be looked at anew. */
async function openSession(ports: Dependencies, buyer: Buyer): Promise<CheckoutSession | null> {
  // Whoever may not buy is told so without the provider being asked for anything.
  refuseCheckoutOf(await ports.purchases.findAccount(buyer.email), ports)

  const price = await ports.payments.price()
  const purchase = await openPurchase(ports, buyer, price)
  if (purchase.sessionId !== null) {
    return reopenSession(ports, { ...purchase, sessionId: purchase.sessionId }, price)
  }
  if (canStillBeCreated(purchase, ports.clock.now())) return createSession(ports, purchase, price)
  await giveUp(ports, purchase)
  return null
}

/** The purchase is on record before the provider hears of it. */
async function openPurchase(ports: Dependencies, buyer: Buyer, price: Price): Promise<Purchase> {
  const draft = draftPurchase({
    id: ports.secrets.newPurchaseId(),
    ...buyer,
    price,
    live: ports.payments.live,
    now: ports.clock.now(),
  })
  const { purchase } = await ports.purchases.update(
    buyer.email,
    checkoutCause(ports),
    (account) => {
      // Once more: in the meantime the address may have been erased, and must not be stored again.
      refuseCheckoutOf(account, ports)
      return { purchase: findOpenPurchase(account.purchases) ?? draft }
    },
  )
  return purchase
}

async function createSession(
  ports: Dependencies,
  purchase: Purchase,
  price: Price,
): Promise<CheckoutSession | null> {
  let session: CheckoutSession
  try {
    session = await ports.payments.createSession(purchase)
  } catch (error) {
    // Without an answer the session may exist: the next try asks for the same one, under the same key.
    if (error instanceof Unavailable && error.answered) await giveUp(ports, purchase)
    throw error
  }

  const attached = await change(ports, purchase, (current) =>
    attachSession(current, session.sessionId),
  )
  if (attached?.state === 'open' && isReusable(attached, price, ports.clock.now())) return session

  // A parallel request gave up on this purchase, or the price has changed: nobody may pay for it any more.
  await retire(ports, purchase, session.sessionId)
  return null
}

/** Hands out a session again once the provider has said that it still takes money. */
async function reopenSession(
  ports: Dependencies,
  purchase: Purchase & { sessionId: string },
  price: Price,
): Promise<CheckoutSession | null> {
  const report = await ports.payments.readSession(purchase.sessionId)
  if (report?.outcome !== 'open') {
    await (report ? settleSession(ports, report, 'checkout') : close(ports, purchase))
    return null
  }
  if (report.url !== null && isReusable(purchase, price, ports.clock.now())) {
    return { sessionId: purchase.sessionId, checkoutUrl: report.url }
  }
  await retire(ports, purchase, purchase.sessionId)
  return null
}

async function retire(ports: Dependencies, purchase: Purchase, sessionId: string): Promise<void> {
  const report = await ports.payments.expireSession(sessionId)
  await (report ? settleSession(ports, report, 'checkout') : close(ports, purchase))
}

/** Closes a purchase without a session. One that a parallel request has opened in the meantime stays open. */
async function giveUp(ports: Dependencies, purchase: Purchase): Promise<void> {
  await change(ports, purchase, (current) =>
    current.sessionId === null ? closePurchase(current) : current,
  )
}

async function close(ports: Dependencies, purchase: Purchase): Promise<void> {
  await change(ports, purchase, closePurchase)
}

async function change(
  ports: Dependencies,
  purchase: Purchase,
  step: (current: Purchase) => Purchase,
): Promise<Purchase | null> {
  const changed = await ports.purchases.updateById(
    purchase.id,
    checkoutCause(ports),
    (_, current) => ({ purchase: step(current) }),
  )
  return changed?.purchase ?? null
}

function checkoutCause(ports: Dependencies): Cause {
  return causeOf(ports, { by: 'checkout', source: null })
}

function refuseCheckoutOf(account: Account, { clock }: Pick<Ports, 'clock'>): void {
  if (!isVerified(account.verification, clock.now())) throw new DomainError('email_not_verified')
  refuseSecondPayment(account, { hasPremium: hasPremium(account.grants) })
}
