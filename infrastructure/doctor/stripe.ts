import type Stripe from 'stripe'
import {
  type Finding,
  findingsOn,
  type Outcome,
  reportNoAnswer,
} from '../../application/doctor/finding.ts'
import type { Clock } from '../../application/ports.ts'
import type { Price } from '../../domain/order.ts'
import { isLiveKey, type PaymentConfig } from '../config/payment-settings.ts'
import { isInvalidRequest, notFoundAs } from '../stripe/answers.ts'
import { stripeClient } from '../stripe/client.ts'
import { outcomeOf, UNAUTHORIZED_STATUS } from '../stripe/outcome.ts'
import { expectList } from '../stripe/pages.ts'
import { type PriceFacts, readPriceFacts, UnusablePrice } from '../stripe/prices.ts'
import { trySession } from '../stripe/sessions.ts'
import { type Ask, checkWebhook } from './webhook.ts'

/** The subjects of the findings. */
export const STRIPE_SUBJECTS = ['stripe', 'price', 'checkout', 'webhook'] as const

/** The page on which operators make the keys of both modes. */
const KEYS_PAGE = 'https://dashboard.stripe.com/apikeys'
const STRIPE = {
  provider: 'Stripe',
  setting: 'STRIPE_SECRET_KEY',
  keysPage: KEYS_PAGE,
  statusPage: 'https://status.stripe.com',
}

type Question = (stripe: Stripe) => Promise<unknown>

const ONE = { limit: 1 }
/** For each permission to read, a request that needs it. */
const READING: Readonly<Record<string, Question>> = {
  'Checkout Sessions': async (stripe) => expectList(await stripe.checkout.sessions.list(ONE)),
  PaymentIntents: async (stripe) => expectList(await stripe.paymentIntents.list(ONE)),
  Charges: async (stripe) => expectList(await stripe.charges.list(ONE)),
  Refunds: async (stripe) => expectList(await stripe.refunds.list(ONE)),
  Disputes: async (stripe) => expectList(await stripe.disputes.list(ONE)),
  Events: async (stripe) => expectList(await stripe.events.list(ONE)),
}
/** For each permission to write, a request that needs it. Its object does not exist. */
const WRITING: Readonly<Record<string, Question>> = {
  'Checkout Sessions': (stripe) => stripe.checkout.sessions.expire('cs_of_nobody'),
  PaymentIntents: (stripe) => stripe.paymentIntents.cancel('pi_of_nobody'),
  Refunds: (stripe) => stripe.refunds.cancel('re_of_nobody'),
}

type Around = {
  /** Stripe should call any one of these. Empty where the address of the service is not known. */
  readonly webhookUrls: readonly string[]
  readonly clock: Clock
  /** For all of it. */
  readonly timeoutMs: number
  readonly formatPrice: (price: Price) => string
}

/** Whether payments can be taken. */
export async function checkPayments(
  payment: PaymentConfig,
  around: Around,
): Promise<readonly Finding[]> {
  if (payment.provider === 'stripe') return checkStripe(payment, around)
  return [findingsOn('stripe').ok('not in use: the sandbox provider takes no money')]
}

/**
 * Looks at what Stripe knows of the key, the price and the webhook, and has it make a payment page that nobody is sent
 * to and that is ended at once. Changes nothing, and never throws.
 */
async function checkStripe(
  { secretKey, apiUrl, product, terms }: Extract<PaymentConfig, { provider: 'stripe' }>,
  { webhookUrls, clock, timeoutMs, formatPrice }: Around,
): Promise<readonly Finding[]> {
  const client = stripeClient({ secretKey, apiUrl, timeoutMs })
  const ask: Ask = (question) => outcomeOf(client(question))

  async function checkOffer(): Promise<readonly Finding[]> {
    if ('price' in product) {
      const made = findingsOn('price').ok(
        'made at the checkout, from PREMIUM_PRICE and PREMIUM_CURRENCY',
      )
      return [made, await checkPage(product.price, false)]
    }
    const found = await ask((stripe) => notFoundAs(readPriceFacts(stripe, product.priceId), null))
    const facts = found.kind === 'answered' ? found.value : null
    return [
      checkPrice(product.priceId, found, formatPrice),
      await checkPage(facts?.amount ?? null, facts ? facts.isTaxOnTop : false),
    ]
  }

  async function checkPage(price: Price | null, isTaxOnTop: boolean | null): Promise<Finding> {
    const { ok, failed, skipped } = findingsOn('checkout')
    if (!price) return skipped('no page without a price')
    const offer = { product, terms }
    const tried = await ask(async (stripe) => {
      try {
        return await trySession(stripe, offer, { price, now: clock.now() })
      } catch (error) {
        if (error instanceof UnusablePrice) return error
        throw error
      }
    })
    if (tried.kind === 'refused') return skipped('the key may not make a payment page')
    if (tried.kind === 'unreachable') {
      return failed(`no payment page could be tried: ${tried.reason}`, 'try again')
    }
    const page = tried.value
    if (page instanceof UnusablePrice) return failed(page.message, `mend ${page.setting}`)
    const place =
      isTaxOnTop === null ? 'as the account has it' : isTaxOnTop ? 'on top' : 'in the price'
    const seller = page.managed_payments?.enabled
      ? 'Stripe sells in its own name'
      : 'you are the seller'
    const tax = page.automatic_tax.enabled ? `tax is computed, ${place}` : 'no tax is computed'
    const invoice = page.invoice_creation?.enabled ? 'an invoice for each payment' : 'no invoice'
    return ok(`Stripe makes a payment page: ${seller}, ${tax}, ${invoice}`)
  }

  const [key, offer, webhook] = await Promise.all([
    findLacking(ask, secretKey),
    checkOffer(),
    checkWebhook(ask, { wantedUrls: webhookUrls, now: clock.now() }),
  ])
  if (key.kind === 'answered') return [reportKey(secretKey, key.value), ...offer, ...webhook]
  // Every other request with that key has failed for the same reason.
  const [own, ...others] = STRIPE_SUBJECTS
  return [
    reportNoAnswer(own, key, STRIPE),
    ...others.map((name) => findingsOn(name).skipped('Stripe told nothing')),
  ]
}

/** What the key may not do, in the words of Stripe's list of permissions: nothing, unless it is restricted. */
async function findLacking(ask: Ask, secretKey: string): Promise<Outcome<readonly string[]>> {
  const isRestricted = secretKey.startsWith('rk_')
  const reading = Object.entries(READING).slice(0, isRestricted ? Infinity : 1)
  const writing = Object.entries(WRITING).slice(0, isRestricted ? Infinity : 0)
  const outcomesOf = (questions: typeof reading) =>
    Promise.all(questions.map(async ([name, put]) => ({ name, outcome: await ask(put) })))
  const [read, written] = await Promise.all([
    outcomesOf(reading),
    outcomesOf(writing.map(([name, put]) => [name, unlessUnknown(put)])),
  ])
  for (const { outcome } of [...read, ...written]) {
    // An invalid key is refused with 401, a key without this permission with 403.
    if (outcome.kind === 'unreachable') return outcome
    if (outcome.kind === 'refused' && outcome.status === UNAUTHORIZED_STATUS) return outcome
  }
  const value = [lackingOf('read', read), lackingOf('write', written)].filter((one) => one !== '')
  return { kind: 'answered', value }
}

/** Stripe checks the permission of the key to write before it looks for the object. */
function unlessUnknown(write: Question): Question {
  return async (stripe) => {
    try {
      await write(stripe)
    } catch (error) {
      if (!isInvalidRequest(error)) throw error
    }
  }
}

function lackingOf(
  verb: string,
  asked: readonly { readonly name: string; readonly outcome: Outcome<unknown> }[],
): string {
  const names = asked.filter(({ outcome }) => outcome.kind === 'refused').map(({ name }) => name)
  return names.length > 0 ? `${verb} ${names.join(', ')}` : ''
}

function reportKey(secretKey: string, lacking: readonly string[]): Finding {
  const { ok, failed } = findingsOn('stripe')
  const works = `the key works, in ${isLiveKey(secretKey) ? 'live' : 'test'} mode`
  if (lacking.length === 0) return ok(works)
  return failed(
    `${works}, but may not ${lacking.join(', and may not ')}`,
    `give the restricted key these permissions at ${KEYS_PAGE}`,
  )
}

/** Null is found where Stripe knows no such price in the mode of the key. */
function checkPrice(
  id: string,
  found: Outcome<PriceFacts | null>,
  formatPrice: (price: Price) => string,
): Finding {
  const { ok, warning, failed } = findingsOn('price')
  if (found.kind === 'refused') {
    return failed(
      `the key may not read ${id}`,
      `give the key read access to Prices at ${KEYS_PAGE}`,
    )
  }
  if (found.kind === 'unreachable') {
    return failed(`${id} cannot be looked up: ${found.reason}`, 'try again')
  }
  const another = 'set STRIPE_PRICE_ID to the id of a one-time price that is active'
  if (!found.value) {
    return failed(
      `Stripe knows no ${id} in the mode of the key`,
      `${another}; live and test mode have prices of their own`,
    )
  }
  const { isActive, isOneTime, amount, otherCurrencies } = found.value
  if (!isActive) return failed(`${id} is not active`, `${another}, or make it active again`)
  if (!isOneTime) return failed(`${id} is paid again and again`, another)
  if (!amount) return failed(`${id} has no amount of its own`, another)
  if (otherCurrencies.length > 0) {
    const names = otherCurrencies.map((currency) => currency.toUpperCase()).join(', ')
    return warning(
      `${id} has prices in other currencies (${names}): all buyers are asked for ${formatPrice(amount)}`,
      'take the other currencies away from the price at Stripe, so that nobody expects them',
    )
  }
  return ok(`${formatPrice(amount)}, ${id}`)
}
