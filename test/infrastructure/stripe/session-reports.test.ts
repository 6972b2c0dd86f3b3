import { describe, expect, test } from 'bun:test'
import type Stripe from 'stripe'
import { DAY_MS } from '../../../domain/duration.ts'
import { newPurchase, PUBLIC_URL } from '../../support/stripe/payment-gateways.ts'
import { signedDelivery } from '../../support/stripe/stripe-events.ts'
import { stripeSetup } from '../../support/stripe/stripe-setup.ts'

// A purchase whose row was lost is restored from what its session says, and from no other session.

const start = stripeSetup()

async function startWithSession() {
  const { double, gateway, clock } = await start()
  const purchase = newPurchase(clock.now(), {
    language: 'sv',
    price: { amount: 1250, currency: 'gbp' },
  })
  const { sessionId } = await gateway.createSession(purchase)
  const { id, email, language, price, leastAmount, createdAt, expiresAt } = purchase
  const terms = { id, email, language, price, leastAmount, createdAt, expiresAt }
  const order = { ...terms, seal: 'fits' as const }
  const metadata = double.sessions.get(sessionId)?.metadata ?? {}
  const readOrder = async () => (await gateway.readSession(sessionId))?.order
  return { double, gateway, clock, purchase, sessionId, order, metadata, readOrder }
}

describe('the order of a session of ours', () => {
  test('is told whoever asks: reading it, ending it, or looking for completed ones', async () => {
    const { double, gateway, clock, sessionId, order, readOrder } = await startWithSession()
    expect(await readOrder()).toEqual(order)
    double.pay(sessionId)
    const page = await gateway.findCompletedSessions({ since: clock.now(), cursor: null })
    expect(page.items.map((report) => report.order)).toEqual([order])
    expect((await gateway.expireSession(sessionId))?.order).toEqual(order)
  })

  test('is reported by an event about it', async () => {
    const { double, gateway, clock, sessionId, order } = await startWithSession()
    const event = double.pay(sessionId).at(-1)
    const delivery = await signedDelivery(event, { secret: double.webhookSecret, at: clock.now() })
    expect(await gateway.verifyEvent(delivery)).toMatchObject({
      kind: 'session',
      report: { order },
    })
    const window = { since: clock.now(), cursor: null }
    const { items } = await gateway.findUndeliveredNotifications(window)
    expect(items).toMatchObject([{ kind: 'session', report: { order } }])
  })

  test('is as it was made, whatever time it is and whatever became of the session since', async () => {
    const { double, clock, sessionId, order, readOrder } = await startWithSession()
    double.pay(sessionId, { email: 'somebody.else@example.com' })
    double.alterSession(sessionId, { amount_total: 1, currency: 'usd', livemode: true })
    clock.advance(30 * DAY_MS)
    expect(await readOrder()).toEqual(order)
  })

  test('names the address in its one spelling', async () => {
    const { double, sessionId, metadata, readOrder, order } = await startWithSession()
    double.alterSession(sessionId, { metadata: { ...metadata, email: 'Mario.Rossi@EXAMPLE.com ' } })
    expect(await readOrder()).toEqual(order)
  })
})

describe('a session has no order', () => {
  const FOREIGN: readonly (readonly [string, Partial<Stripe.Checkout.Session>])[] = [
    ['of another shop, which names no purchase', { client_reference_id: null }],
    ['of another shop, which names its own', { client_reference_id: 'order-17' }],
    ['which names two purchases', { client_reference_id: 'pur_other' }],
    [
      'of another Alibi',
      { success_url: 'https://other.example/payment/success?session_id={CHECKOUT_SESSION_ID}' },
    ],
    [
      'of an Alibi whose address begins like ours',
      { success_url: `${PUBLIC_URL}.other/payment/success?session_id=x` },
    ],
    [
      'of another shop at our address',
      { success_url: `${PUBLIC_URL}/thanks?session_id={CHECKOUT_SESSION_ID}` },
    ],
    ['that leads nowhere', { success_url: null }],
  ]

  test.each(FOREIGN)('%s', async (_, change) => {
    const { double, sessionId, order, readOrder } = await startWithSession()
    expect(await readOrder()).toEqual(order)
    double.alterSession(sessionId, change)
    expect(await readOrder()).toBeNull()
  })

  test('whose reference and metadata agree on a name that is none of ours', async () => {
    const { double, sessionId, metadata, readOrder } = await startWithSession()
    const client_reference_id = 'order_17'
    double.alterSession(sessionId, {
      client_reference_id,
      metadata: { ...metadata, purchase_id: client_reference_id },
    })
    expect(await readOrder()).toBeNull()
  })

  test.each(['purchase_id', 'email', 'language', 'amount', 'currency'])(
    'whose metadata lack the %s',
    async (key) => {
      const { double, sessionId, metadata, readOrder } = await startWithSession()
      const { [key]: value, ...rest } = metadata
      expect(value).toBeString()
      double.alterSession(sessionId, { metadata: rest })
      expect(await readOrder()).toBeNull()
    },
  )

  test.each([
    ['email', 'mario'],
    ['email', ''],
    ['language', 'xx'],
    ['language', ''],
    ['amount', '0'],
    ['amount', '-400'],
    ['amount', '4.00'],
    ['amount', '0x10'],
    ['amount', '1e3'],
    ['amount', ' 400'],
    ['amount', '9'.repeat(20)],
    ['currency', 'EUR'],
    ['currency', 'euro'],
    ['currency', ''],
  ])('whose metadata say that the %s is %p', async (key, value) => {
    const { double, sessionId, metadata, readOrder } = await startWithSession()
    double.alterSession(sessionId, { metadata: { ...metadata, [key]: value } })
    expect(await readOrder()).toBeNull()
  })

  test.each([null, {}])('whose metadata are %p', async (metadata) => {
    const { double, sessionId, readOrder } = await startWithSession()
    double.alterSession(sessionId, { metadata })
    expect(await readOrder()).toBeNull()
  })

  test.each(['created', 'expires_at'])(
    'that does not say when it was made or ends: %s',
    async (key) => {
      const { double, sessionId, readOrder } = await startWithSession()
      double.alterSession(sessionId, { [key]: null })
      expect(await readOrder()).toBeNull()
    },
  )

  test('but still names its purchase, to whoever has the row', async () => {
    const { double, gateway, purchase, sessionId } = await startWithSession()
    double.alterSession(sessionId, { success_url: 'https://other.example/payment/success?x' })
    expect(await gateway.readSession(sessionId)).toMatchObject({
      purchaseId: purchase.id,
      order: null,
    })
  })
})
