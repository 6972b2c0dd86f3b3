import { describe, expect, test } from 'bun:test'
import type { PaymentGateway } from '../../../application/ports.ts'
import { NOON } from '../../support/fakes.ts'
import { livedMs } from '../../support/service/lived-time.ts'
import { stripeSetup } from '../../support/stripe/stripe-setup.ts'
import { SERVER_ERROR, tooManyRequests } from '../../support/stripe-double/faults.ts'

const start = stripeSetup()

/** Long enough for an answer on the same machine, and short enough for a test. */
const TIMEOUT_MS = 150

/** What was thrown, after how many milliseconds, and how many of them this process has lived. */
async function outageOf(call: () => Promise<unknown>) {
  // A timer counts from the start of the event loop's turn: measured from any later moment it would come too early.
  await new Promise((resolve) => setTimeout(resolve, 0))
  const startedAt = performance.now()
  let outage: unknown
  const lived = await livedMs(async () => {
    outage = await call().then(
      (answer) => {
        throw new Error(`no outage but ${JSON.stringify(answer)}`)
      },
      (error) => error,
    )
  })
  return { outage, elapsedMs: performance.now() - startedAt, livedMs: lived }
}

const find = (gateway: PaymentGateway) => gateway.findRefunds({ since: NOON, cursor: null })

test('the time that a call may take includes its retries', async () => {
  const { double, gateway } = await start({ timeoutMs: 3000 })
  double.fault('reset')
  double.fault('hang')
  const { elapsedMs, livedMs } = await outageOf(() => find(gateway))
  // The SDK waits 500 ms before its second try, which would have 3000 ms of its own.
  expect(double.count()).toBe(2)
  expect(elapsedMs).toBeGreaterThan(2950)
  expect(livedMs).toBeLessThan(3400)
})

test('a body that trickles in is given up in time as well', async () => {
  const trickle = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(new ReadableStream({ start: (stream) => stream.enqueue('{"id":') }), {
        headers: { 'content-type': 'application/json' },
      }),
  })
  const { gateway } = await start({
    apiUrl: `http://127.0.0.1:${trickle.port}`,
    timeoutMs: TIMEOUT_MS,
  })
  const calls = [() => gateway.readSession('cs_test_1'), () => find(gateway)]
  const outages = await Promise.all(calls.map(outageOf))
  for (const { outage } of outages) {
    expect(outage).toMatchObject({ outage: 'payment', answered: false })
  }
  await trickle.stop(true)
})

test('a list that has no end is given up in time as well', async () => {
  const { double, gateway } = await start({ timeoutMs: TIMEOUT_MS })
  const payment_intent = 'pi_1'
  const data = [{ id: 're_1', object: 'refund', amount: 1, status: 'succeeded', payment_intent }]
  const body = JSON.stringify({ object: 'list', data, has_more: true })
  double.fault({ status: 200, headers: {}, body }, { times: Infinity })
  const { outage, elapsedMs, livedMs } = await outageOf(() => gateway.listRefunds(payment_intent))
  expect(outage).toMatchObject({ outage: 'payment', answered: false })
  expect(elapsedMs).toBeGreaterThan(TIMEOUT_MS - 10)
  expect(livedMs).toBeLessThan(TIMEOUT_MS + 500)
  const asked = double.count()
  expect(asked).toBeGreaterThan(1)
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
    const { outage } = await outageOf(() => find(gateway))
    expect(outage).toMatchObject({ answered: false, cause: { statusCode: 429 } })
    expect(double.count()).toBe(6)
  })

  test('is asked again no earlier than it says, and not at all after the deadline', async () => {
    const { double, gateway } = await start({ timeoutMs: 5000 })
    double.fault(tooManyRequests({ 'retry-after': '1' }))
    double.fault(tooManyRequests({ 'retry-after': '4' }))
    const { outage, elapsedMs, livedMs } = await outageOf(() => find(gateway))
    // After the first second the next four would end too late.
    expect(double.count()).toBe(2)
    expect(outage).toMatchObject({ answered: false, cause: { statusCode: 429 } })
    expect(elapsedMs).toBeGreaterThan(990)
    expect(livedMs).toBeLessThan(1400)
  })

  test.each([{}, { 'retry-after': '' }, { 'retry-after': '-1' }, { 'retry-after': '3600' }])(
    'is not asked again at once when it says %p',
    async (headers) => {
      const { double, gateway } = await start()
      double.fault(tooManyRequests(headers))
      const { outage, livedMs } = await outageOf(() => find(gateway))
      expect(outage).toMatchObject({ answered: false, cause: { statusCode: 429 } })
      expect(double.count()).toBe(1)
      expect(livedMs).toBeLessThan(400)
    },
  )

  test('is the only one that is waited for', async () => {
    const { double, gateway } = await start()
    double.fault({ ...SERVER_ERROR, headers: { ...SERVER_ERROR.headers, 'retry-after': '0' } })
    expect((await outageOf(() => find(gateway))).outage).toMatchObject({ answered: true })
    expect(double.count()).toBe(1)
  })
})

test('a call that is given up takes none with it that comes before, beside or after it', async () => {
  const { double, gateway } = await start({ timeoutMs: TIMEOUT_MS })
  for (let round = 0; round < 3; round++) {
    expect(await find(gateway)).toMatchObject({ items: [] })
    double.fault('hang')
    const ends = await Promise.allSettled([find(gateway), find(gateway)])
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  }
  expect(await find(gateway)).toMatchObject({ items: [] })
})
