import { describe, expect, test } from 'bun:test'
import { reasonOf } from '../../../application/error-report.ts'
import type { ListWindow, PaymentCalls } from '../../../application/ports.ts'
import type { Unavailable } from '../../../application/unavailable.ts'
import type { OutboxKey } from '../../../domain/outbox.ts'
import { NOON } from '../../support/fakes.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { whenLate } from '../../support/stopped-timers.ts'
import { newPurchase, PRICE } from '../../support/stripe/payment-gateways.ts'
import { stripeSetup } from '../../support/stripe/stripe-setup.ts'
import {
  type Fault,
  FORBIDDEN,
  REDIRECT,
  SERVER_ERROR,
  SERVER_ERROR_WITHOUT_ERROR,
  TOO_MANY_REQUESTS,
  UNAUTHORIZED,
  WRONG_MODE,
} from '../../support/stripe-double/faults.ts'

const start = stripeSetup()

/** A price kept at Stripe, so that every call has something to ask. */
const AT_STRIPE = { product: { priceId: 'price_1' } }

async function startWithSession() {
  const { double, gateway, clock } = await start(AT_STRIPE)
  double.addPrice({ id: 'price_1', ...PRICE })
  const purchase = newPurchase(clock.now())
  const { sessionId } = await gateway.createSession(purchase)
  double.requests.length = 0
  return { double, gateway, clock, purchase, sessionId }
}

const KEY = 'duplicate_refund:pur_1' as OutboxKey
const WINDOW: ListWindow = { since: NOON, cursor: null }

function outageOf(call: Promise<unknown>): Promise<Unavailable> {
  return call.then(
    (answer) => {
      throw new Error(`no outage but ${JSON.stringify(answer)}`)
    },
    (error) => error,
  )
}

const CALLS: readonly (readonly [
  string,
  (gateway: PaymentCalls, sessionId: string) => Promise<unknown>,
])[] = [
  ['createSession', (gateway) => gateway.createSession(newPurchase(NOON))],
  ['readSession', (gateway, sessionId) => gateway.readSession(sessionId)],
  ['expireSession', (gateway, sessionId) => gateway.expireSession(sessionId)],
  ['price', (gateway) => gateway.price()],
  ['listRefunds', (gateway) => gateway.listRefunds('pi_1')],
  ['listDisputes', (gateway) => gateway.listDisputes('pi_1')],
  ['refundPayment', (gateway) => gateway.refundPayment({ paymentIntentId: 'pi_1', key: KEY })],
  ['findSessions', (gateway) => gateway.findSessions({ ...WINDOW, until: WINDOW.since })],
  ['findCompletedSessions', (gateway) => gateway.findCompletedSessions(WINDOW)],
  ['findUndeliveredNotifications', (gateway) => gateway.findUndeliveredNotifications(WINDOW)],
  ['findRefunds', (gateway) => gateway.findRefunds(WINDOW)],
  ['findDisputes', (gateway) => gateway.findDisputes(WINDOW)],
]

/** Everything that can come instead of an answer, and whether it means that Stripe itself has refused. */
const FAULTS: readonly (readonly [string, Fault, boolean])[] = [
  ['never answers', 'hang', false],
  ['cuts the connection', 'reset', false],
  ['cuts the answer', 'truncated', false],
  ['fails with an error of its own', SERVER_ERROR, true],
  ['fails without an error of its own', SERVER_ERROR_WITHOUT_ERROR, false],
  ['does not know the key', UNAUTHORIZED, true],
  ['does not let the key do it', FORBIDDEN, true],
  ['finds the key in the wrong mode', WRONG_MODE, true],
  ['is asked too often', TOO_MANY_REQUESTS, false],
  ['points elsewhere', REDIRECT, false],
  ['answers nothing', answer(200, ''), false],
  ['answers with a page', answer(200, '<html>maintenance</html>'), false],
  ['answers with a page that says 502', answer(502, '<html>bad gateway</html>'), false],
  ['answers with an error that is not in its words', answer(400, '{"error":"bad"}'), false],
  ['answers with a number', answer(200, '1'), false],
  ['answers with a text', answer(200, '"hello"'), false],
  ['answers with null', answer(200, 'null'), false],
  ['answers with a list', answer(200, '[]'), false],
  ['answers with an empty object', answer(200, '{}'), false],
  ['answers with some other object', answer(200, '{"id":"cus_1","object":"customer"}'), false],
  ['answers with an error that is a number', answer(200, '{"error":5}'), false],
  ['fails with a list', answer(500, '{"object":"list","data":[],"has_more":false}'), false],
  ['answers with a list of nobody knows what', answer(200, '{"object":"list","data":5}'), false],
  ['answers with a list without an end', answer(200, '{"object":"list","data":[]}'), false],
  ['keeps a stranger out', answer(401, '{"error":"unauthorized"}'), false],
  ['keeps a stranger out with a page', answer(403, '<html>forbidden</html>'), false],
]

const OPERATOR_FAULTS: readonly Fault[] = [UNAUTHORIZED, FORBIDDEN, WRONG_MODE]

function answer(status: number, body: string): Fault {
  // Without the hint the SDK tries a 5xx twice more, which only takes time.
  return { status, headers: { 'stripe-should-retry': 'false' }, body }
}

describe.each(FAULTS)('when Stripe %s', (_, fault, answered) => {
  test('every call is unavailable, and no secret is in what is thrown', async () => {
    await Promise.all(
      CALLS.map(async ([name, call]) => {
        const { double, gateway, sessionId } = await startWithSession()
        double.fault(fault, { times: 10 })
        // All but silence ends by itself.
        const impatient = { ...AT_STRIPE, apiUrl: double.url, timeoutMs: 100 }
        const asked = fault === 'hang' ? (await start(impatient)).gateway : gateway
        const thrown = await outageOf(call(asked, sessionId))
        const { outage, needsOperator } = thrown
        expect({ name, outage, answered: thrown.answered, needsOperator }).toEqual({
          name,
          outage: 'payment',
          answered,
          needsOperator: OPERATOR_FAULTS.includes(fault),
        })
        expect(Bun.inspect(thrown)).not.toContain(double.secretKey)
      }),
    )
  })
})

test('what is not the object that was asked for is no answer', async () => {
  const calls = CALLS.filter(([name]) => /Session$|^price$/.test(name))
  expect(calls).toHaveLength(4)
  for (const [, call] of calls) {
    const { double, gateway, sessionId } = await startWithSession()
    double.fault('wrong_id')
    expect(await outageOf(call(gateway, sessionId))).toMatchObject({ answered: false })
  }
})

test('an object of another kind is no answer, whatever its id', async () => {
  const { double, gateway, sessionId } = await startWithSession()
  const body = { id: sessionId, object: 'customer', status: 'open', mode: 'payment' }
  double.fault(answer(200, JSON.stringify(body)))
  expect(await outageOf(gateway.readSession(sessionId))).toMatchObject({ answered: false })
})

test('a new session whose page is not on the web is no answer', async () => {
  const { double, gateway, clock } = await start()
  for (const url of ['null', '"javascript:alert(1)"', '"/pay"', '""']) {
    double.fault(answer(200, `{"object":"checkout.session","id":"cs_test_1","url":${url}}`))
    const outage = await outageOf(gateway.createSession(newPurchase(clock.now())))
    expect(outage).toMatchObject({ outage: 'payment', answered: false })
  }
})

test('a session in an unknown state is no answer', async () => {
  const { double, gateway, sessionId } = await startWithSession()
  double.alterSession(sessionId, { status: 'paused' as 'open' })
  expect(await outageOf(gateway.readSession(sessionId))).toMatchObject({ answered: false })
})

test('a 404 that is not about the session does not make it unknown', async () => {
  const { double, gateway, sessionId } = await startWithSession()
  const body = '{"error":{"type":"invalid_request_error","message":"Unrecognized request URL"}}'
  double.fault(answer(404, body), { times: 2 })
  expect(await outageOf(gateway.readSession(sessionId))).toMatchObject({ answered: true })
})

test('a session that cannot be expired and still takes money is an outage', async () => {
  const { double, gateway, sessionId } = await startWithSession()
  const body = '{"error":{"type":"invalid_request_error","message":"not now"}}'
  double.fault(answer(400, body), { on: 'POST /v1/checkout/sessions/:id/expire' })
  expect(await outageOf(gateway.expireSession(sessionId))).toMatchObject({ outage: 'payment' })
})

test('a redirect is not followed, so that neither key nor address goes elsewhere', async () => {
  const elsewhere = await start()
  const { double, gateway, clock } = await start()
  const headers = { location: `${elsewhere.double.url}/v1/checkout/sessions` }
  for (const status of [301, 302, 303, 307, 308]) {
    double.fault({ status, headers, body: '' })
    await outageOf(gateway.createSession(newPurchase(clock.now())))
  }
  expect(elsewhere.double.count()).toBe(0)
})

describe.each(['refunds', 'disputes'] as const)('a list of the %s of a payment', (kind) => {
  const route = `GET /v1/${kind}`
  const object = kind === 'refunds' ? 'refund' : 'dispute'
  const reversal = { id: 'one', object, amount: 1, status: 'succeeded', livemode: false }
  const list = (gateway: PaymentCalls) =>
    kind === 'refunds' ? gateway.listRefunds('pi_1') : gateway.listDisputes('pi_1')
  const page = (data: readonly unknown[], has_more = false) =>
    JSON.stringify({ object: 'list', data, has_more })

  test('is no list by half', async () => {
    for (const [fault, answered] of [
      [SERVER_ERROR, true],
      [answer(500, page([])), false],
      [answer(200, '{}'), false],
    ] as const) {
      const { double, gateway } = await start()
      double.fault(answer(200, page([{ ...reversal, payment_intent: 'pi_1' }], true)))
      double.fault(fault)
      expect(await outageOf(list(gateway))).toMatchObject({ answered })
      expect(double.count(route)).toBe(2)
    }
  })

  test('is no answer with something else in it', async () => {
    const ours = { ...reversal, payment_intent: 'pi_1' }
    const others = [
      reversal,
      { ...ours, payment_intent: 'pi_2' },
      { ...ours, payment_intent: null },
      { ...ours, object: 'charge' },
      { ...ours, id: undefined },
      null,
    ]
    const { double, gateway } = await start()
    double.fault(answer(200, page([ours])))
    expect(await list(gateway)).toMatchObject([{ id: 'one', paymentIntentId: 'pi_1' }])
    for (const other of others) {
      double.fault(answer(200, page([ours, other])))
      expect(await outageOf(list(gateway))).toMatchObject({ answered: false })
    }
  })
})

test('a port without a listener is an outage without an answer', async () => {
  const { double, gateway, sessionId } = await startWithSession()
  await double.stop()
  expect(await outageOf(gateway.readSession(sessionId))).toMatchObject({ answered: false })
})

describe('a new session', () => {
  test('that Stripe refuses for good is refused with its answer', async () => {
    const { gateway, clock } = await start()
    const cheap = newPurchase(clock.now(), { price: { amount: 10, currency: 'eur' } })
    const outage = await outageOf(gateway.createSession(cheap))
    expect(outage).toMatchObject({ answered: true, setting: 'PREMIUM_PRICE' })
    expect(reasonOf(outage)).toContain('amount_too_small')
  })

  test('under a key that was used for something else is refused with an answer', async () => {
    const { gateway, clock } = await start()
    const purchase = newPurchase(clock.now())
    await gateway.createSession(purchase)
    const changed = { ...purchase, price: { amount: 500, currency: 'eur' } }
    const outage = await outageOf(gateway.createSession(changed))
    expect(outage).toMatchObject({ answered: true, cause: { rawType: 'idempotency_error' } })
  })

  test('under a key that is still in use counts as not answered', async () => {
    const { double, gateway, clock } = await start()
    const error = { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'busy' }
    double.fault(answer(409, JSON.stringify({ error })))
    const outage = await outageOf(gateway.createSession(newPurchase(clock.now())))
    expect(outage).toMatchObject({ answered: false, cause: { statusCode: 409 } })
  })

  test('whose answer was lost is found again by the next try', async () => {
    const { double, gateway, clock } = await start()
    const purchase = newPurchase(clock.now())
    double.fault('hang')
    const asking = () => outageOf(gateway.createSession(purchase))
    const outage = await whenLate(PATIENCE_MS, asking, () => double.count() === 1)
    expect(outage).toMatchObject({ answered: false })
    const { sessionId } = await gateway.createSession(purchase)
    expect([...double.sessions.keys()]).toEqual([sessionId])
  })

  test('is asked for again while the first request for it is under way', async () => {
    const { double, gateway, clock } = await start()
    const purchase = newPurchase(clock.now())
    const release = double.hold('POST /v1/checkout/sessions')
    const both = [gateway.createSession(purchase), gateway.createSession(purchase)]
    await double.seen(2)
    release()
    const [one, other] = await Promise.all(both)
    expect(one).toEqual(other!)
    expect(double.sessions.size).toBe(1)
    expect(double.count()).toBe(3)
  })

  test('is asked for again when the connection breaks, and stays the only one', async () => {
    const { double, gateway, clock } = await start()
    double.fault('reset')
    const { sessionId } = await gateway.createSession(newPurchase(clock.now()))
    expect([...double.sessions.keys()]).toEqual([sessionId])
    expect(double.count()).toBe(2)
  })
})
