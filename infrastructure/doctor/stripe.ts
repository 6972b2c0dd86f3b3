import Stripe from 'stripe'
import type { Outcome } from '../../application/doctor/finding.ts'
import type { PageFacts, PriceFacts, StripeFacts } from '../../application/doctor/stripe.ts'
import type { Endpoint } from '../../application/doctor/webhook.ts'
import type { Clock } from '../../application/ports.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import type { Price } from '../../domain/purchase.ts'
import { isLiveKey } from '../config/payment-settings.ts'
import { isInvalidRequest, isMissing } from '../stripe/answers.ts'
import { stripeClient } from '../stripe/client.ts'
import { ENDPOINT_EVENT_TYPES, EVENT_TYPES } from '../stripe/events.ts'
import { toSeconds } from '../stripe/objects.ts'
import { outcomeOf, UNAUTHORIZED_STATUS } from '../stripe/outcome.ts'
import { expectList, readAllPages } from '../stripe/pages.ts'
import { readPriceFacts, UnusablePrice } from '../stripe/prices.ts'
import { type Offer, trySession } from '../stripe/sessions.ts'

/** A younger notification may still be on its way. */
const UNDER_WAY_MS = 10 * MINUTE_MS

type Question = (stripe: Stripe) => Promise<unknown>

const ONE = { limit: 1 }
/** For each permission to read, a request that needs it. */
const READING: readonly (readonly [string, Question])[] = [
  ['Checkout Sessions', async (stripe) => expectList(await stripe.checkout.sessions.list(ONE))],
  ['PaymentIntents', async (stripe) => expectList(await stripe.paymentIntents.list(ONE))],
  ['Charges', async (stripe) => expectList(await stripe.charges.list(ONE))],
  ['Refunds', async (stripe) => expectList(await stripe.refunds.list(ONE))],
  ['Disputes', async (stripe) => expectList(await stripe.disputes.list(ONE))],
  ['Events', async (stripe) => expectList(await stripe.events.list(ONE))],
]
/** For each permission to write, a request that needs it. Its object does not exist. */
const WRITING: readonly (readonly [string, Question])[] = [
  ['Checkout Sessions', (stripe) => stripe.checkout.sessions.expire('cs_of_nobody')],
  ['PaymentIntents', (stripe) => stripe.paymentIntents.cancel('pi_of_nobody')],
  ['Refunds', (stripe) => stripe.refunds.cancel('re_of_nobody')],
]

/**
 * Looks at what Stripe knows of the key, the price and the webhook, and has it make a payment page that nobody is sent
 * to and that is ended at once. Changes nothing, and never throws.
 */
export async function probeStripe({
  secretKey,
  apiUrl,
  product,
  terms,
  webhookUrls,
  clock,
  timeoutMs,
}: {
  secretKey: string
  /** Null for Stripe's own. */
  apiUrl: string | null
  product: Offer['product']
  terms: Offer['terms']
  /** Stripe should call any one of these. Empty where the address of the service is not known. */
  webhookUrls: readonly string[]
  clock: Clock
  /** For all of it. */
  timeoutMs: number
}): Promise<StripeFacts> {
  const client = stripeClient({ secretKey, apiUrl, timeoutMs })
  const ask = <Value>(question: (stripe: Stripe) => Promise<Value>) => outcomeOf(client(question))

  async function readKey(): Promise<StripeFacts['key']> {
    // A key that is not restricted may do anything, if it is valid.
    const isRestricted = secretKey.startsWith('rk_')
    const outcomesOf = (questions: typeof READING) =>
      Promise.all(questions.map(async ([name, put]) => ({ name, outcome: await ask(put) })))
    const [read, written] = await Promise.all([
      outcomesOf(isRestricted ? READING : READING.slice(0, 1)),
      outcomesOf(isRestricted ? WRITING.map(([name, put]) => [name, unlessUnknown(put)]) : []),
    ])
    const failure = [...read, ...written].map(({ outcome }) => outcome).find(isNoAnswer)
    if (failure) return failure
    return {
      kind: 'answered',
      value: { unreadable: namesOfRefused(read), unwritable: namesOfRefused(written) },
    }
  }

  async function countUndelivered(): Promise<number | null> {
    const now = clock.now().getTime()
    const secondsBefore = (milliseconds: number) => toSeconds(new Date(now - milliseconds))
    const listed = await ask(async (stripe) =>
      expectList(
        await stripe.events.list({
          delivery_success: false,
          types: [...EVENT_TYPES],
          created: { gte: secondsBefore(DAY_MS), lte: secondsBefore(UNDER_WAY_MS) },
          limit: 100,
        }),
      ),
    )
    return listed.kind === 'answered' ? listed.value.data.length : null
  }

  async function readPrice() {
    const found =
      'priceId' in product && (await ask((stripe) => findPrice(stripe, product.priceId)))
    const known = found && found.kind === 'answered' ? (found.value?.amount ?? null) : null
    const price = 'price' in product ? product.price : known
    const page = price && (await ask((stripe) => tryPage(stripe, { product, terms }, price)))
    return { found: found || null, page }
  }

  async function tryPage(stripe: Stripe, offer: Offer, price: Price): Promise<PageFacts> {
    try {
      const page = await trySession(stripe, offer, { price, now: clock.now() })
      return {
        refusal: null,
        isManaged: page.managed_payments?.enabled ?? false,
        isTaxed: page.automatic_tax.enabled,
        hasInvoice: page.invoice_creation?.enabled ?? false,
      }
    } catch (error) {
      if (!(error instanceof UnusablePrice)) throw error
      return { refusal: error.message, setting: error.setting }
    }
  }

  const [key, { found: price, page }, listed, thin, undelivered] = await Promise.all([
    readKey(),
    readPrice(),
    ask(listEndpoints),
    ask(listThinUrls),
    countUndelivered(),
  ])
  return {
    isKeyLive: isLiveKey(secretKey),
    key,
    price: 'priceId' in product && price ? { id: product.priceId, found: price } : null,
    page,
    webhook: {
      listed,
      thinUrls: thin.kind === 'answered' ? thin.value : [],
      wantedUrls: webhookUrls,
      wantedEvents: ENDPOINT_EVENT_TYPES,
      apiVersion: Stripe.API_VERSION,
      undelivered,
    },
  }
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

function namesOfRefused(
  outcomes: readonly { readonly name: string; readonly outcome: Outcome<unknown> }[],
): readonly string[] {
  return outcomes.filter(({ outcome }) => outcome.kind === 'refused').map(({ name }) => name)
}

/** Null where Stripe knows no such price in the mode of the key. */
async function findPrice(stripe: Stripe, id: string): Promise<PriceFacts | null> {
  try {
    return await readPriceFacts(stripe, id)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function listEndpoints(stripe: Stripe): Promise<readonly Endpoint[]> {
  const endpoints = await readAllPages(
    (page) => stripe.webhookEndpoints.list(page),
    'webhook_endpoint',
  )
  return endpoints.map(({ url, status, enabled_events: events, api_version: apiVersion }) => ({
    url,
    isEnabled: status === 'enabled',
    events,
    apiVersion,
  }))
}

/** These are in no list of webhook endpoints: https://docs.stripe.com/api/v2/core/event-destinations. */
async function listThinUrls(stripe: Stripe): Promise<readonly string[]> {
  const { data } = await stripe.v2.core.eventDestinations.list({
    include: ['webhook_endpoint.url'],
  })
  return data.flatMap(({ event_payload: style, status, webhook_endpoint: endpoint }) =>
    style === 'thin' && status === 'enabled' && endpoint?.url ? [endpoint.url] : [],
  )
}

/** Whether nothing is known: an invalid key is refused with 401, a key without this permission with 403. */
function isNoAnswer(
  outcome: Outcome<unknown>,
): outcome is Exclude<Outcome<unknown>, { kind: 'answered' }> {
  return (
    outcome.kind === 'unreachable' ||
    (outcome.kind === 'refused' && outcome.status === UNAUTHORIZED_STATUS)
  )
}
