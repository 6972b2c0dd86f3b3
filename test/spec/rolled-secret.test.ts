import { describe, expect, test } from 'bun:test'
import { SECOND_MS } from '../../domain/duration.ts'
import { orderSeals } from '../../infrastructure/secrets/order-seals.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { PLACES } from '../support/service/places.ts'
import { serviceSetup } from '../support/service/real-service.ts'
import { stripeSetup } from '../support/stripe/stripe-setup.ts'

const OLD = 'the secret before, under which orders were sealed'
const CREATE = 'POST /v1/checkout/sessions'
const start = stripeSetup()

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openService = serviceSetup(openPlace)

  /** A service whose secret is rolled while its buyer waits: the two share the database and the account. */
  async function openRolled() {
    const { double, clock } = await start()
    const before = await openService({ stripe: double, clock, seals: orderSeals({ secret: OLD }) })
    await before.verify(EMAIL)
    const rolled = orderSeals({ secret: 'the secret of today', previousSecret: OLD })
    const after = await openService({ stripe: double, clock, seals: rolled, place: before.place })
    return { double, clock, before, after }
  }

  test('a page that Stripe made without being heard, before the secret was rolled, is given up', async () => {
    const { double, clock, before, after } = await openRolled()
    double.fault('reset', { times: 3, on: CREATE })
    const outage = answers(503, 'Payment provider unavailable')
    expect(await before.post('/checkout', { email: EMAIL })).toMatchObject(outage)
    clock.advance(SECOND_MS)

    // Stripe takes a key only with the order as it was sealed first.
    expect(await after.post('/checkout', { email: EMAIL })).toMatchObject(outage)
    const { status, body } = await after.post('/checkout', { email: EMAIL })
    expect(status).toBe(200)
    const { purchases } = await after.ports.purchases.findAccount(EMAIL)
    expect(purchases.map(({ state }) => state).sort()).toEqual(['closed', 'open'])

    for (const event of double.pay((body as { sessionId: string }).sessionId)) {
      expect(await after.deliver(event)).toMatchObject({ status: 200 })
    }
    expect(await after.hasPremium(EMAIL)).toBe(true)
  })

  test('a page that is open when the secret is rolled is handed out again, and opens premium', async () => {
    const { double, before, after } = await openRolled()
    const { body } = await before.post('/checkout', { email: EMAIL })
    expect((await after.post('/checkout', { email: EMAIL })).body).toEqual(body)
    const asked = double.count()
    for (const event of double.pay((body as { sessionId: string }).sessionId)) {
      await after.deliver(event)
    }
    expect(double.count()).toBe(asked)
    expect(await after.hasPremium(EMAIL)).toBe(true)
  })
})
