import { afterEach } from 'bun:test'
import { stripePaymentGateway } from '../../../infrastructure/stripe/payment-gateway.ts'
import { returnUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock } from '../fakes.ts'
import { PATIENCE_MS } from '../patience.ts'
import { startStripeDouble } from '../stripe-double/stripe-double.ts'
import {
  newPurchase,
  PLAIN_TERMS,
  PRICE,
  PUBLIC_URL,
  SEALS,
  WEBHOOK_SECRET,
} from './payment-gateways.ts'

export type GatewaySettings = Parameters<typeof stripePaymentGateway>[0]

/** Gives a test file Stripe gateways with all patience, each on a double of its own that ends with the test. */
export function stripeSetup() {
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })

  return async function start({
    secretKey = 'sk_test_double',
    ...own
  }: Partial<GatewaySettings> = {}) {
    const clock = fixedClock()
    const double = await startStripeDouble({ webhookSecret: WEBHOOK_SECRET, secretKey, clock })
    ends.push(double.stop)
    const { payments, notifications } = stripePaymentGateway({
      secretKey,
      webhookSecrets: [WEBHOOK_SECRET],
      apiUrl: double.url,
      product: { price: PRICE, name: 'Alibi Premium' },
      returnUrls: returnUrls(PUBLIC_URL),
      seals: SEALS,
      terms: PLAIN_TERMS,
      log() {},
      clock,
      timeoutMs: PATIENCE_MS,
      ...own,
    })
    return { double, gateway: { ...payments, ...notifications }, clock }
  }
}

type Started = Awaited<ReturnType<ReturnType<typeof stripeSetup>>>

/** A session that was made and paid just now, and its payment. */
export async function payOne({ double, gateway, clock }: Started) {
  const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
  double.pay(sessionId)
  const paymentIntentId = (await gateway.readSession(sessionId))?.paymentIntentId
  if (!paymentIntentId) throw new Error('paid, and no payment')
  return { sessionId, paymentIntentId }
}

/** One payment, of which the events that it made are forgotten. */
export async function withPayment(started: Started) {
  const paid = await payOne(started)
  started.double.forgetEvents()
  started.double.requests.length = 0
  return { ...started, ...paid, since: started.clock.now() }
}
