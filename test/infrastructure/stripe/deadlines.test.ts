import { describe, expect, jest, test } from 'bun:test'
import type { PaymentCalls } from '../../../application/ports.ts'
import { NOON } from '../../support/fakes.ts'
import { serve } from '../../support/http/probed-servers.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { stopTimers, turn, whenLate } from '../../support/stopped-timers.ts'
import { stripeSetup } from '../../support/stripe/stripe-setup.ts'
import { SERVER_ERROR, tooManyRequests } from '../../support/stripe-double/faults.ts'

const start = stripeSetup()

const TIMEOUT_MS = 60_000

function outageOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (answer) => {
      throw new Error(`no outage but ${JSON.stringify(answer)}`)
    },
    (error) => error,
  )
}

const find = (gateway: PaymentCalls) => gateway.findRefunds({ since: NOON, cursor: null })

test('the time that a call may take includes its retries', async () => {
  const other = serve(() => new Response())
  const { double, gateway } = await start({ timeoutMs: TIMEOUT_MS })
  double.fault('reset')
  double.fault('hang')
  using _ = stopTimers()
  const call = outageOf(find(gateway))
  while (double.count() === 0) await turn()
  let passedMs = 0
  // The SDK waits up to half a second before its second try, which would have all the time of its own.
  while (double.count() < 2) {
    // The reset comes no later than another server's answer.
    await (await fetch(other)).text()
    jest.advanceTimersByTime(500)
    passedMs += 500
  }
  jest.advanceTimersByTime(TIMEOUT_MS - passedMs)
  expect(await call).toMatchObject({ outage: 'payment', answered: false })
  expect(double.count()).toBe(2)
})

test('a body that trickles in is given up in time as well', async () => {
  let asked = 0
  const apiUrl = serve(() => {
    asked++
    return new Response(new ReadableStream({ start: (stream) => stream.enqueue('{"id":') }), {
      headers: { 'content-type': 'application/json' },
    })
  })
  const { gateway } = await start({ apiUrl, timeoutMs: TIMEOUT_MS })
  const calls = [() => gateway.readSession('cs_test_1'), () => find(gateway)]
  const all = () => Promise.all(calls.map((call) => outageOf(call())))
  for (const outage of await whenLate(TIMEOUT_MS, all, () => asked === calls.length)) {
    expect(outage).toMatchObject({ outage: 'payment', answered: false })
  }
})

test('a list that has no end is given up in time as well', async () => {
  const { double, gateway } = await start({ timeoutMs: TIMEOUT_MS })
  const payment_intent = 'pi_1'
  const data = [{ id: 're_1', object: 'refund', amount: 1, status: 'succeeded', payment_intent }]
  const body = JSON.stringify({ object: 'list', data, has_more: true })
  double.fault({ status: 200, headers: {}, body }, { times: Infinity })
  const list = () => outageOf(gateway.listRefunds(payment_intent))
  const outage = await whenLate(TIMEOUT_MS, list, () => double.count() > 5)
  expect(outage).toMatchObject({ outage: 'payment', answered: false })
  const asked = double.count()
  // A question that still went on would be seen among these.
  for (let others = 0; others < 20; others++) await find(gateway)
  expect(double.count()).toBeLessThanOrEqual(asked + 20 + 1)
})

describe('a Stripe that is asked too often', () => {
  test('is asked again when it says so, twice at most', async () => {
    const { double, gateway } = await start()
    const later = tooManyRequests({ 'retry-after': '0' })
    double.fault(later, { times: 2 })
    expect(await find(gateway)).toEqual({ items: [], unreadable: [], cursor: null })
    expect(double.count()).toBe(3)

    double.fault(later, { times: 10 })
    const outage = await outageOf(find(gateway))
    expect(outage).toMatchObject({ answered: false, cause: { statusCode: 429 } })
    expect(double.count()).toBe(6)
  })

  test('is asked again no earlier than it says, and not at all after the deadline', async () => {
    const { double, gateway } = await start()
    double.fault(tooManyRequests({ 'retry-after': '1' }))
    double.fault(tooManyRequests({ 'retry-after': `${PATIENCE_MS / 1000 - 1}` }))
    const startedAt = performance.now()
    // A timer counts from the start of the event loop's turn: the measurement begins in an earlier one.
    await turn()
    const outage = await outageOf(find(gateway))
    // After the first second the rest would end too late: one that waited for it would end by the deadline.
    expect(double.count()).toBe(2)
    expect(outage).toMatchObject({ answered: false, cause: { statusCode: 429 } })
    expect(performance.now() - startedAt).toBeGreaterThan(998)
  })

  test.each([{}, { 'retry-after': '' }, { 'retry-after': '-1' }, { 'retry-after': '3600' }])(
    'is not asked again at once when it says %p',
    async (headers) => {
      const { double, gateway } = await start()
      double.fault(tooManyRequests(headers))
      const outage = await outageOf(find(gateway))
      expect(outage).toMatchObject({ answered: false, cause: { statusCode: 429 } })
      expect(double.count()).toBe(1)
    },
  )

  test('is the only one that is waited for', async () => {
    const { double, gateway } = await start()
    double.fault({ ...SERVER_ERROR, headers: { ...SERVER_ERROR.headers, 'retry-after': '0' } })
    expect(await outageOf(find(gateway))).toMatchObject({ answered: true })
    expect(double.count()).toBe(1)
  })
})

test('a call that is given up takes none with it that comes before, beside or after it', async () => {
  const { double, gateway } = await start({ timeoutMs: TIMEOUT_MS })
  expect(await find(gateway)).toMatchObject({ items: [] })
  using _ = stopTimers()
  for (let round = 1; round <= 3; round++) {
    const asked = double.count()
    double.fault('hang')
    const hanging = outageOf(find(gateway))
    while (double.count() === asked) await turn()
    jest.advanceTimersByTime(TIMEOUT_MS / 2)
    const release = double.hold('GET /v1/refunds')
    const beside = find(gateway)
    while (double.count() === asked + 1) await turn()
    jest.advanceTimersByTime(TIMEOUT_MS / 2)
    expect(await hanging).toMatchObject({ answered: false })
    release()
    expect(await beside).toMatchObject({ items: [] })
    expect(await find(gateway)).toMatchObject({ items: [] })
  }
})
