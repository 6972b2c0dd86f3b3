import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../../domain/duration.ts'
import type { OutboxKey } from '../../../domain/outbox.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { whenLate } from '../../support/stopped-timers.ts'
import { payOne, stripeSetup } from '../../support/stripe/stripe-setup.ts'
import { SERVER_ERROR } from '../../support/stripe-double/faults.ts'
import type { StripeDouble } from '../../support/stripe-double/stripe-double.ts'

const start = stripeSetup()
const KEY = 'duplicate_refund:pur_1' as OutboxKey

async function startWithPayment() {
  const started = await start()
  const paid = await payOne(started)
  started.double.requests.length = 0
  return { ...started, ...paid, pay: () => payOne(started) }
}

function idIn(events: ReturnType<StripeDouble['refund']>): string {
  return String(events[0]?.data.object['id'])
}

describe('refunds', () => {
  test('are listed with their states', async () => {
    const { double, gateway, sessionId, paymentIntentId } = await startWithPayment()
    double.refund(sessionId, { amount: 100 })
    double.refund(sessionId, { amount: 50, pending: true })
    double.failRefund(idIn(double.refund(sessionId, { amount: 25 })))
    const refunds = await gateway.listRefunds(paymentIntentId)
    expect(refunds.map(({ amount, state }) => [amount, state])).toEqual([
      [25, 'failed'],
      [50, 'pending'],
      [100, 'succeeded'],
    ])
    expect(refunds.every((refund) => refund.paymentIntentId === paymentIntentId)).toBe(true)
  })

  test('are listed to the last page', async () => {
    const { double, gateway, sessionId, paymentIntentId } = await startWithPayment()
    for (let count = 0; count < 230; count++) double.refund(sessionId, { amount: 1 })
    const refunds = await gateway.listRefunds(paymentIntentId)
    expect(new Set(refunds.map(({ id }) => id)).size).toBe(230)
    expect(double.count('GET /v1/refunds')).toBe(3)
    // Measurements of one request would travel with the next.
    const headers = double.requests.map((request) => request.headers['x-stripe-client-telemetry'])
    expect(headers).toEqual([undefined, undefined, undefined])
  })

  test('of other payments are not listed', async () => {
    const { double, gateway, pay, paymentIntentId } = await startWithPayment()
    const other = await pay()
    double.refund(other.sessionId)
    expect(await gateway.listRefunds(paymentIntentId)).toEqual([])
    expect(await gateway.listRefunds(other.paymentIntentId)).toHaveLength(1)
  })
})

describe('disputes', () => {
  test('are listed with their states, as of the whole second before they were asked for', async () => {
    const { double, gateway, clock, sessionId, paymentIntentId } = await startWithPayment()
    const lost = idIn(double.dispute(sessionId, 'chargeback'))
    const inquiry = idIn(double.dispute(sessionId, 'inquiry'))
    double.closeDispute(lost, 'lost')
    const wholeSecond = clock.now()
    clock.advance(999)
    const reportedAt = wholeSecond
    expect(await gateway.listDisputes(paymentIntentId)).toEqual([
      { id: inquiry, paymentIntentId, state: 'inquiry', reportedAt },
      { id: lost, paymentIntentId, state: 'lost', reportedAt },
    ])
    expect(double.requests.map(({ route, form }) => [route, form])).toEqual([
      ['GET /v1/disputes', { payment_intent: paymentIntentId, limit: '100' }],
    ])
  })

  test('are as of the moment before the request, however long the answer takes', async () => {
    const { double, gateway, clock, sessionId, paymentIntentId } = await startWithPayment()
    double.dispute(sessionId, 'chargeback')
    const askedAt = clock.now()
    for (const ask of [
      () => gateway.listDisputes(paymentIntentId),
      async () => (await gateway.findDisputes({ since: askedAt, cursor: null })).items,
    ]) {
      const before = double.count()
      const release = double.hold('GET /v1/disputes')
      const reportedAt = clock.now()
      const asked = ask()
      await double.seen(before + 1)
      clock.advance(5000)
      release()
      expect(await asked).toMatchObject([{ state: 'open', reportedAt }])
    }
  })

  test('are listed to the last page', async () => {
    const { double, gateway, sessionId, paymentIntentId } = await startWithPayment()
    for (let count = 0; count < 230; count++) double.dispute(sessionId, 'inquiry')
    const disputes = await gateway.listDisputes(paymentIntentId)
    expect(new Set(disputes.map(({ id }) => id)).size).toBe(230)
    expect(double.count('GET /v1/disputes')).toBe(3)
  })
})

describe('sending a payment back', () => {
  const CREATE = 'POST /v1/refunds'

  test('asks for all that is left, as a duplicate, under the key, and for nothing else', async () => {
    const { double, gateway, paymentIntentId } = await startWithPayment()
    const refunds = await gateway.refundPayment({ paymentIntentId, key: KEY })
    expect(refunds).toEqual([
      { id: expect.stringMatching(/^re_/), paymentIntentId, amount: 400, state: 'succeeded' },
    ])
    const asked = double.requests.map(({ route, form, headers }) => [
      route,
      form,
      headers['idempotency-key'],
    ])
    expect(asked).toEqual([
      [CREATE, { payment_intent: paymentIntentId, reason: 'duplicate' }, KEY],
      ['GET /v1/refunds', { payment_intent: paymentIntentId, limit: '100' }, undefined],
    ])
  })

  test('leaves what was sent back before, and tells of both', async () => {
    const { double, gateway, sessionId, paymentIntentId } = await startWithPayment()
    double.refund(sessionId, { amount: 150 })
    const refunds = await gateway.refundPayment({ paymentIntentId, key: KEY })
    expect(refunds.map(({ amount }) => amount)).toEqual([250, 150])
  })

  test('happens once, however often it is asked for', async () => {
    const { double, gateway, paymentIntentId } = await startWithPayment()
    const first = await gateway.refundPayment({ paymentIntentId, key: KEY })
    expect(await gateway.refundPayment({ paymentIntentId, key: KEY })).toEqual(first)
    expect(double.refunds.size).toBe(1)
  })

  test('happens once also when Stripe has forgotten the key, or was given another', async () => {
    const { double, gateway, clock, paymentIntentId } = await startWithPayment()
    const first = await gateway.refundPayment({ paymentIntentId, key: KEY })
    clock.advance(DAY_MS)
    expect(await gateway.refundPayment({ paymentIntentId, key: KEY })).toEqual(first)
    const key = 'duplicate_refund:pur_2' as OutboxKey
    expect(await gateway.refundPayment({ paymentIntentId, key })).toEqual(first)
    expect(double.refunds.size).toBe(1)
    expect(double.count(CREATE)).toBe(3)
  })

  test('happens once when it is asked for twice at the same time', async () => {
    const { double, gateway, paymentIntentId } = await startWithPayment()
    const refund = () => gateway.refundPayment({ paymentIntentId, key: KEY })
    const [one, other] = await Promise.all([refund(), refund()])
    expect(one).toEqual(other!)
    expect(double.refunds.size).toBe(1)
  })

  test.each(['reset', 'truncated', 'hang'] as const)(
    'happens once when the answer is lost: %s',
    async (fault) => {
      const { double, gateway, paymentIntentId } = await startWithPayment()
      double.fault(fault, { on: CREATE, times: Infinity })
      const refund = () => gateway.refundPayment({ paymentIntentId, key: KEY })
      const isAsked = () => double.count(CREATE) > 0
      const lost = fault === 'hang' ? whenLate(PATIENCE_MS, refund, isAsked) : refund()
      await expect(lost).rejects.toMatchObject({ outage: 'payment', answered: false })
      double.clearFaults()
      expect(await refund()).toMatchObject([{ amount: 400, state: 'succeeded' }])
      expect(double.refunds.size).toBe(1)
    },
  )

  test('is not done while it is unknown what was sent back', async () => {
    const { double, gateway, paymentIntentId } = await startWithPayment()
    double.fault(SERVER_ERROR, { on: 'GET /v1/refunds' })
    const unknown = gateway.refundPayment({ paymentIntentId, key: KEY })
    await expect(unknown).rejects.toMatchObject({ outage: 'payment' })
    expect(await gateway.refundPayment({ paymentIntentId, key: KEY })).toHaveLength(1)
    expect(double.refunds.size).toBe(1)
  })

  test('may take its time, and is then reported as pending until it is read again', async () => {
    const { double, gateway, paymentIntentId } = await startWithPayment()
    double.answerRefunds('pending')
    const [refund] = await gateway.refundPayment({ paymentIntentId, key: KEY })
    expect(refund).toMatchObject({ state: 'pending' })
    double.completeRefund(refund!.id)
    expect(await gateway.refundPayment({ paymentIntentId, key: KEY })).toEqual([
      { ...refund!, state: 'succeeded' },
    ])
  })

  test('is refused with an answer while the bank has the money', async () => {
    const { double, gateway, sessionId, paymentIntentId } = await startWithPayment()
    const disputeId = idIn(double.dispute(sessionId, 'chargeback'))
    const refund = () => gateway.refundPayment({ paymentIntentId, key: KEY })
    const refusal = { outage: 'payment', answered: true, needsOperator: false }
    await expect(refund()).rejects.toMatchObject({ ...refusal, cause: { code: 'charge_disputed' } })
    // Stripe answers a key with what it has answered before, for a day.
    await expect(refund()).rejects.toMatchObject(refusal)
    expect(double.refunds.size).toBe(0)

    double.closeDispute(disputeId, 'won')
    expect(await refund()).toHaveLength(1)
    expect(await refund()).toHaveLength(1)
  })

  test('of an unknown payment is refused, rather than done', async () => {
    const { gateway } = await startWithPayment()
    const refused = gateway.refundPayment({ paymentIntentId: 'pi_nobody', key: KEY })
    await expect(refused).rejects.toMatchObject({ cause: { code: 'resource_missing' } })
  })

  test('is not believed when the answer is about another payment', async () => {
    const { double, gateway, paymentIntentId } = await startWithPayment()
    const refund = { id: 're_1', object: 'refund', amount: 400, status: 'succeeded' }
    for (const payment_intent of ['pi_other', null]) {
      const body = JSON.stringify({ ...refund, payment_intent })
      double.fault({ status: 200, headers: {}, body }, { on: CREATE })
      const asked = gateway.refundPayment({ paymentIntentId, key: KEY })
      await expect(asked).rejects.toMatchObject({ outage: 'payment', answered: false })
    }
    expect(double.count('GET /v1/refunds')).toBe(0)
  })
})
