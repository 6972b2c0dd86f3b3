import type { CodeChallenge, CodeVerifier } from '../../domain/code-challenge.ts'
import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Language } from '../../domain/language.ts'
import { leastAmountOf, type Price } from '../../domain/order.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import {
  canStillBeCreated,
  draftPurchase,
  findOpenPurchase,
  hasPaymentUnderWay,
  type Purchase,
} from '../../domain/purchase.ts'
import { allowsCheckout } from '../../domain/verification.ts'
import type { CheckoutSession, Ports } from '../ports.ts'
import type { Account } from '../store.ts'
import { Unavailable } from '../unavailable.ts'
import {
  checkoutOrigin,
  closeUnconfirmed,
  createSession,
  endUnlessUnderWay,
  reopenSession,
} from './checkout-session.ts'
import type { SettleDependencies } from './settle-payment.ts'

type Dependencies = SettleDependencies & Pick<Ports, 'secrets'>

type Buyer = { email: Email; language: Language; codeChallenge: CodeChallenge | null }

/** One round expires what is in the way (an old price, a page about to close), the next one opens the session. */
const ROUNDS_MAX = 3

/**
 * Opens the payment page of a verified address, or the one it already has: never two that can be paid. Where the
 * browser that proved the address gave a challenge, only the verifier of it opens the page. Throws
 * `email_not_verified`, `premium_already_active`, `payment_processing` or `Unavailable('payment')`.
 */
export async function startCheckout(
  ports: Dependencies,
  {
    email,
    language,
    codeVerifier = null,
  }: { email: Email; language: Language; codeVerifier?: CodeVerifier | null },
): Promise<CheckoutSession> {
  const codeChallenge = codeVerifier && ports.secrets.challengeOf(codeVerifier)
  const buyer: Buyer = { email, language, codeChallenge }
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const session = await openSession(ports, buyer)
    if (session) return session
  }
  throw new Unavailable('payment', { cause: new Error('the session in the way does not go away') })
}

/** Null when an open purchase had to be settled or closed first, so that the next round has to look again. */
async function openSession(ports: Dependencies, buyer: Buyer): Promise<CheckoutSession | null> {
  await endUnpaid(ports, buyer)
  refuseCheckoutOf(await ports.purchases.findAccount(buyer.email), buyer, ports)

  const price = await ports.payments.price()
  const purchase = await openPurchase(ports, buyer, price)
  if (purchase.sessionId !== null) {
    return reopenSession(ports, { ...purchase, sessionId: purchase.sessionId }, price)
  }
  if (canStillBeCreated(purchase, ports.clock.now())) return createSession(ports, purchase, price)

  await closeUnconfirmed(ports, purchase)
  return null
}

/** A voucher that the buyer has not paid is in nobody's way. Any other refusal costs no call of the provider. */
async function endUnpaid(ports: Dependencies, buyer: Buyer): Promise<void> {
  const account = await ports.purchases.findAccount(buyer.email)
  const purchase = account.purchases.find(({ state }) => state === 'processing')
  const sessionId = purchase?.sessionId ?? null
  if (!purchase || sessionId === null || hasPremium(account.grants)) return
  if (isProven(account, buyer, ports)) await endUnlessUnderWay(ports, { ...purchase, sessionId })
}

/** The open purchase of the buyer, or a new one. It is stored before the provider is asked. */
async function openPurchase(ports: Dependencies, buyer: Buyer, price: Price): Promise<Purchase> {
  const now = ports.clock.now()
  const draft = draftPurchase({
    id: ports.secrets.newPurchaseId(now),
    email: buyer.email,
    language: buyer.language,
    price,
    leastAmount: leastAmountOf(price, ports.rules),
    live: ports.notifications.live,
    now,
  })
  const { purchase } = await ports.purchases.update(
    buyer.email,
    checkoutOrigin(ports),
    (account) => {
      // Once more: in the meantime the address may have been erased, and must not be stored again.
      refuseCheckoutOf(account, buyer, ports)
      return { purchase: findOpenPurchase(account.purchases) ?? draft }
    },
  )
  return purchase
}

function isProven(
  { verification }: Account,
  { codeChallenge }: Buyer,
  { clock }: Pick<Ports, 'clock'>,
): boolean {
  return allowsCheckout(verification, { codeChallenge, now: clock.now() })
}

function refuseCheckoutOf(account: Account, buyer: Buyer, ports: Pick<Ports, 'clock'>): void {
  if (!isProven(account, buyer, ports)) throw new DomainError('email_not_verified')
  if (hasPremium(account.grants)) throw new DomainError('premium_already_active')
  if (hasPaymentUnderWay(account)) throw new DomainError('payment_processing')
}
