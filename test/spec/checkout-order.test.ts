import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import type { Price } from '../../domain/order.ts'
import { answers } from '../support/http/http-client.ts'
import { PLACES } from '../support/service/places.ts'
import { customerSetup } from '../support/service/real-customer.ts'
import { serviceSetup } from '../support/service/real-service.ts'
import { PRICE } from '../support/stripe/payment-gateways.ts'
import { SERVER_ERROR } from '../support/stripe-double/faults.ts'

const CREATE = 'POST /v1/checkout/sessions'
const READ = 'GET /v1/checkout/sessions/:id'
const EXPIRE = 'POST /v1/checkout/sessions/:id/expire'

const INVALID = answers(400, 'Invalid email')
const NOT_VERIFIED = answers(
  403,
  'Email not verified',
  'Please verify your email with OTP code before purchasing',
)
const ACTIVE = answers(409, 'Premium access already active')
const PROCESSING = answers(409, 'Payment processing')
const DOWN = answers(503, 'Payment provider unavailable')
const SESSION = { status: 200, body: { success: true } }

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openService = serviceSetup(openPlace)

  const openShop = customerSetup(openPlace)

  /** The reasons for a refusal, in the order in which a buyer gets them. */
  const OBSTACLES = [
    ['the address is none', INVALID],
    ['it is not verified', NOT_VERIFIED],
    ['it has premium', ACTIVE],
    ['a payment of it is under way', PROCESSING],
    ['Stripe is out of reach', DOWN],
  ] as const

  describe('a checkout', () => {
    test('tells of the first thing in its way, whatever else is, and asks Stripe only where it has to', async () => {
      const customerOf = await openShop()
      const combinations = 2 ** OBSTACLES.length
      const told: Record<number, number> = {}
      for (let combination = 0; combination < combinations; combination++) {
        const [isNone, isUnverified, hasPremium, isUnderWay, isDown] = OBSTACLES.map(
          (_, index) => (combination & (1 << index)) !== 0,
        )
        const address = `buyer-${combination}@example.com` as Email
        const { double, service, clock, verify, openPage, deliver, asked } = customerOf(address)
        if (isUnderWay) await deliver(double.payLate(await openPage()))
        if (hasPremium) await service.givePremium(address)
        clock.advance(31 * MINUTE_MS)
        if (!isUnverified) await verify()
        if (isDown) double.fault(SERVER_ERROR, { times: 10 })

        const routes = asked()
        const email = isNone ? `${address}.` : address
        const answer = await service.post('/checkout', { email })
        double.clearFaults()

        const first = OBSTACLES.findIndex((_, index) => (combination & (1 << index)) !== 0)
        const [obstacle, expected] = OBSTACLES[first] ?? ['nothing', SESSION]
        const { status, body } = answer
        expect({ obstacle, combination, status, body }).toMatchObject({ obstacle, ...expected })
        const mayAsk = expected === DOWN || expected === SESSION
        // Whether the money is really under way, or waits for the buyer, is known to Stripe.
        const looked = expected === PROCESSING ? (isDown ? [EXPIRE] : [EXPIRE, READ]) : []
        const wanted = mayAsk ? [CREATE] : looked
        expect({ obstacle, asked: routes() }).toEqual({ obstacle, asked: wanted })
        told[status] = (told[status] ?? 0) + 1
      }
      expect(told).toEqual({ 400: 16, 403: 8, 409: 6, 503: 1, 200: 1 })
      console.log(`checkout order: ${combinations} combinations, 0 in another order`)
    })
  })

  describe('a page that is open', () => {
    test.each<[string, Price]>([
      ['amount', { ...PRICE, amount: 500 }],
      ['currency', { ...PRICE, currency: 'usd' }],
    ])('at another %s than today is replaced, and takes no more money', async (_, price) => {
      const { double, service, clock, email, openPage, asked, states } = (await openShop())()
      const old = await openPage()
      const product = { price, name: 'Alibi Premium' }
      const today = await openService({ stripe: double, clock, product, place: service.place })
      const routes = asked()

      const answer = await today.post('/checkout', { email })

      expect(answer).toMatchObject(SESSION)
      expect(routes()).toEqual([READ, EXPIRE, CREATE])
      const { sessionId } = answer.body as { sessionId: string }
      expect(double.sessions.get(old)).toMatchObject({ status: 'expired', url: null })
      expect(double.sessions.get(sessionId)).toMatchObject({
        status: 'open',
        amount_total: price.amount,
        currency: price.currency,
      })
      expect(await states()).toEqual(['closed', 'open'])
      expect(() => double.pay(old)).toThrow('expired')
    })

    test('and unknown to Stripe, such as under the key of another account, is replaced', async () => {
      const { double, openPage, checkOut, states } = (await openShop())()
      const old = await openPage()
      double.sessions.delete(old)
      const answer = await checkOut()
      expect(answer).toMatchObject(SESSION)
      expect((answer.body as { sessionId: string }).sessionId).not.toBe(old)
      expect(await states()).toEqual(['closed', 'open'])
    })

    test('is not handed out again before Stripe has said that it is open', async () => {
      const { double, openPage, checkOut, states } = (await openShop())()
      await openPage()
      double.fault(SERVER_ERROR)
      expect(await checkOut()).toMatchObject(DOWN)
      expect(await states()).toEqual(['open'])
      expect(await checkOut()).toMatchObject(SESSION)
      expect(double.sessions.size).toBe(1)
    })
  })
})
