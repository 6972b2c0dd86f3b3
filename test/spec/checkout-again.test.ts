import { afterAll, describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import { ORIGIN } from '../support/fakes.ts'
import { answers } from '../support/http/http-client.ts'
import { PLACES } from '../support/service/places.ts'
import { type Customer, customerSetup } from '../support/service/real-customer.ts'
import { refused } from '../support/stripe-double/faults.ts'

const PAGE_LIFETIME_MS = 33 * MINUTE_MS
const REUSE_MARGIN_MS = 5 * MINUTE_MS
const CREATE = 'POST /v1/checkout/sessions'
const READ = 'GET /v1/checkout/sessions/:id'
const CANCEL = 'POST /v1/payment_intents/:id/cancel'
const EXPIRE = 'POST /v1/checkout/sessions/:id/expire'

const ACTIVE = answers(409, 'Premium access already active')
const PROCESSING = answers(409, 'Payment processing')
const SESSION = { status: 200, body: { success: true } }

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openShop = customerSetup(openPlace)

  type Row = readonly [
    happens: string,
    expected: {
      readonly answer: { status: number; body: object }
      /** What Stripe is asked. */
      readonly asked: readonly string[]
      readonly states: readonly string[]
      /** The pages at Stripe, in the order of their making. */
      readonly pages: readonly string[]
    },
    happen: (customer: Customer) => Promise<unknown>,
  ]

  /** What checkouts come to once the address has had a payment page. */
  const ROWS: readonly Row[] = [
    [
      'has its page open',
      { answer: SESSION, asked: [READ], states: ['open'], pages: ['open'] },
      ({ openPage }) => openPage(),
    ],
    [
      'has its page open for a little longer than five minutes',
      { answer: SESSION, asked: [READ], states: ['open'], pages: ['open'] },
      async ({ openPage, clock }) => {
        await openPage()
        clock.advance(PAGE_LIFETIME_MS - REUSE_MARGIN_MS - 1)
      },
    ],
    [
      'has its page open for just five minutes',
      {
        answer: SESSION,
        asked: [READ, EXPIRE, CREATE],
        states: ['closed', 'open'],
        pages: ['expired', 'open'],
      },
      async ({ openPage, clock }) => {
        await openPage()
        clock.advance(PAGE_LIFETIME_MS - REUSE_MARGIN_MS)
      },
    ],
    [
      'had a page that has closed without a notification',
      {
        answer: SESSION,
        asked: [READ, CREATE],
        states: ['closed', 'open'],
        pages: ['expired', 'open'],
      },
      async ({ openPage, double }) => double.expire(await openPage()),
    ],
    [
      'had a card declined and has its page open',
      { answer: SESSION, asked: [READ], states: ['open'], pages: ['open'] },
      async ({ openPage, double }) => double.decline(await openPage()),
    ],
    [
      'has paid without a notification',
      { answer: ACTIVE, asked: [READ], states: ['paid'], pages: ['complete'] },
      async ({ openPage, double }) => double.pay(await openPage()),
    ],
    [
      'has paid',
      { answer: ACTIVE, asked: [], states: ['paid'], pages: ['complete'] },
      async ({ openPage, double, deliver }) => deliver(double.pay(await openPage())),
    ],
    [
      'has ordered a debit without a notification',
      {
        answer: PROCESSING,
        asked: [READ, EXPIRE, READ],
        states: ['processing'],
        pages: ['complete'],
      },
      async ({ openPage, double }) => double.payLate(await openPage()),
    ],
    [
      'waits for a debit',
      { answer: PROCESSING, asked: [EXPIRE, READ], states: ['processing'], pages: ['complete'] },
      async ({ openPage, double, deliver }) => deliver(double.payLate(await openPage())),
    ],
    [
      'has a voucher that is not paid',
      {
        answer: SESSION,
        asked: [EXPIRE, READ, CANCEL, CREATE],
        states: ['closed', 'open'],
        pages: ['complete', 'open'],
      },
      async ({ openPage, double, deliver }) => {
        const sessionId = await openPage()
        await deliver(double.payLate(sessionId))
        double.alterIntent(sessionId, { status: 'requires_action' })
      },
    ],
    [
      'has a voucher that nobody may cancel',
      {
        answer: PROCESSING,
        asked: [EXPIRE, READ, CANCEL],
        states: ['processing'],
        pages: ['complete'],
      },
      async ({ openPage, double, deliver }) => {
        const sessionId = await openPage()
        await deliver(double.payLate(sessionId))
        double.alterIntent(sessionId, { status: 'requires_action' })
        double.fault(refused(400, { type: 'invalid_request_error', message: 'No.' }), {
          on: CANCEL,
        })
      },
    ],
    [
      'has had a debit fail',
      {
        answer: SESSION,
        asked: [CREATE],
        states: ['closed', 'open'],
        pages: ['complete', 'open'],
      },
      async ({ openPage, double, deliver }) => {
        const sessionId = await openPage()
        await deliver([...double.payLate(sessionId), ...double.lateFail(sessionId)])
      },
    ],
    [
      'has had its money back',
      { answer: SESSION, asked: [CREATE], states: ['paid', 'open'], pages: ['complete', 'open'] },
      async ({ openPage, double, deliver }) => {
        const sessionId = await openPage()
        await deliver([...double.pay(sessionId), ...double.refund(sessionId)])
      },
    ],
    [
      'has had a part of its money back',
      { answer: ACTIVE, asked: [], states: ['paid'], pages: ['complete'] },
      async ({ openPage, double, deliver }) => {
        const sessionId = await openPage()
        await deliver([...double.pay(sessionId), ...double.refund(sessionId, { amount: 399 })])
      },
    ],
    [
      'has had its bank take the money back',
      { answer: SESSION, asked: [CREATE], states: ['paid', 'open'], pages: ['complete', 'open'] },
      async ({ openPage, double, deliver }) => {
        const sessionId = await openPage()
        await deliver([...double.pay(sessionId), ...double.dispute(sessionId, 'chargeback')])
      },
    ],
    [
      'has paid, and had its premium revoked',
      { answer: SESSION, asked: [CREATE], states: ['paid', 'open'], pages: ['complete', 'open'] },
      async ({ openPage, double, deliver, service, email }) => {
        await deliver(double.pay(await openPage()))
        await service.ports.premiumGrants.revokeAll(email, ORIGIN)
      },
    ],
    [
      'was given premium while its page was open',
      { answer: ACTIVE, asked: [], states: ['open'], pages: ['open'] },
      async ({ openPage, service }) => {
        await openPage()
        await service.givePremium()
      },
    ],
    [
      'has paid what was not asked for',
      { answer: PROCESSING, asked: [], states: ['review'], pages: ['complete'] },
      (customer) => payAnotherCurrency(customer),
    ],
    [
      'has paid what was not asked for, without a notification',
      { answer: PROCESSING, asked: [READ], states: ['review'], pages: ['complete'] },
      async ({ openPage, double }) => {
        const sessionId = await openPage()
        double.pay(sessionId)
        double.alterSession(sessionId, { amount_total: 500, amount_subtotal: 500 })
      },
    ],
    [
      'has had a part of what was not asked for back',
      { answer: PROCESSING, asked: [], states: ['review'], pages: ['complete'] },
      async (customer) => {
        const sessionId = await payAnotherCurrency(customer)
        await customer.deliver(customer.double.refund(sessionId, { amount: 399 }))
      },
    ],
    [
      'has had all of what was not asked for back',
      { answer: SESSION, asked: [CREATE], states: ['review', 'open'], pages: ['complete', 'open'] },
      async (customer) => {
        const sessionId = await payAnotherCurrency(customer)
        await customer.deliver(customer.double.refund(sessionId))
      },
    ],
    [
      'has had the refund of what was not asked for bounce',
      { answer: PROCESSING, asked: [], states: ['review'], pages: ['complete'] },
      async (customer) => {
        const { double, deliver } = customer
        const sessionId = await payAnotherCurrency(customer)
        await deliver(double.refund(sessionId, { pending: true }))
        const [refundId = ''] = double.refunds.keys()
        await deliver(double.failRefund(refundId))
      },
    ],
  ]

  async function payAnotherCurrency({ openPage, double, deliver }: Customer): Promise<string> {
    const sessionId = await openPage()
    double.alterSession(sessionId, { currency: 'usd' })
    await deliver(double.pay(sessionId))
    return sessionId
  }

  describe('the checkout of an address that', () => {
    let rows = 0
    afterAll(() => {
      console.log(`checkouts after a first page: ${rows} of ${ROWS.length} rows as promised`)
    })

    test.each(ROWS)('%s', async (_, expected, happen) => {
      const customerOf = await openShop()
      const customer = customerOf()
      await happen(customer)
      await customer.verify()
      const routes = customer.asked()

      const answer = await customer.checkOut()

      expect(answer).toMatchObject(expected.answer)
      expect(routes()).toEqual([...expected.asked])
      expect(await customer.states()).toEqual(expected.states)
      expect(customer.pages()).toEqual(expected.pages)
      if (answer.status === 200) {
        const newest = [...customer.double.sessions.values()].at(-1)
        expect(answer.body).toEqual({
          success: true,
          checkoutUrl: newest?.url,
          sessionId: newest?.id,
        })
      }
      rows++
    })
  })
})
