import { expect, test } from 'bun:test'
import {
  buyer,
  deliverAll,
  openProduction,
  type Production,
  SECRETS,
} from '../support/executable/production.ts'
import { holdDatabase, swept } from '../support/executable/stored.ts'
import { client } from '../support/http/client.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { type StripeEvent, signedDelivery } from '../support/stripe/stripe-events.ts'
import { SERVER_ERROR, TOO_MANY_REQUESTS, UNAUTHORIZED } from '../support/stripe-double/faults.ts'

// Two of these wait for a deadline, so all of them run side by side.

const CREATE = 'POST /v1/checkout/sessions'
const STRIPE_DEADLINE_MS = 8000
/** Of the SDK itself, without one of ours. */
const SDK_DEADLINE_MS = 80_000
const STRIPE_TRIES = 3

async function startBuyer(production: Production) {
  const alibi = await production.start()
  // Else the service itself, and not the buyer, may be who meets the outage.
  await swept(production)
  const one = buyer(alibi, production, 'buyer@example.com')
  await one.prove()
  return { alibi, ...one }
}

/** Asks for what others want as long as somebody waits, and expects that they do not wait for the same. */
async function expectOthersServed({ url }: AlibiProcess, answer: Promise<unknown>, path: string) {
  let isOver = false
  let served = 0
  void answer.finally(() => {
    isOver = true
  })
  while (!isOver) {
    expect((await client(url).get(path)).status).toBe(200)
    if (!isOver) served++
  }
  expect(served).toBeGreaterThan(0)
}

/** Brings an event to the webhook as Stripe does, and tells the whole answer. */
async function deliver(url: string, event: StripeEvent) {
  const { payload, signature } = await signedDelivery(event, {
    secret: SECRETS.STRIPE_WEBHOOK_SECRET,
    at: new Date(),
  })
  const headers = { 'stripe-signature': signature }
  const body = new TextDecoder().decode(payload)
  return fetch(`${url}/webhook/stripe`, { method: 'POST', headers, body })
}

test.concurrent('a Stripe that hangs is given up before it costs the buyer patience, and nobody else waits', async () => {
  await using production = await openProduction()
  const { alibi, http, email, checkOut } = await startBuyer(production)
  const { double } = production
  double.fault('hang', { times: STRIPE_TRIES, on: CREATE })
  const startedAt = performance.now()
  const checkout = http.post('/checkout', { email })
  await production.asked(CREATE)
  await expectOthersServed(alibi, checkout, '/ready')

  const answer = await checkout
  const waitedMs = performance.now() - startedAt
  expect(answer).toMatchObject({ status: 503, body: { error: 'Payment provider unavailable' } })
  expect(waitedMs).toBeWithin(STRIPE_DEADLINE_MS - 500, SDK_DEADLINE_MS)
  // The deadline is that of all tries: there is no second one with a deadline of its own.
  expect(double.count(CREATE)).toBe(1)

  double.clearFaults()
  const { sessionId } = await checkOut()
  expect([...double.sessions.keys()]).toEqual([sessionId])
})

test.concurrent.each([
  ['fails', SERVER_ERROR],
  ['does not take the key', UNAUTHORIZED],
  ['is asked too often', TOO_MANY_REQUESTS],
  ['hangs up after it has acted', 'reset'],
  ['stops in the middle of its answer', 'truncated'],
  ['answers with another object', 'wrong_id'],
] as const)('a Stripe that %s is unavailable, and the next checkout works', async (_, fault) => {
  await using production = await openProduction()
  const { http, email, checkOut, hasPremium } = await startBuyer(production)
  const { double } = production
  double.fault(fault, { times: STRIPE_TRIES, on: CREATE })
  const answer = await http.post('/checkout', { email })
  expect(answer).toMatchObject({ status: 503, body: { error: 'Payment provider unavailable' } })

  double.clearFaults()
  const { sessionId } = await checkOut()
  const payable = [...double.sessions.values()].filter(({ status }) => status === 'open')
  expect(payable.map(({ id }) => id)).toEqual([sessionId])
  double.pay(sessionId)
  await deliverAll(production)
  expect(await hasPremium()).toBe(true)
})

test.concurrent('a buyer who comes back while Stripe fails is told to wait, and then let in', async () => {
  await using production = await openProduction()
  const { http, checkOut, hasPremium } = await startBuyer(production)
  const { double } = production
  const { sessionId } = await checkOut()
  double.pay(sessionId)
  double.fault(SERVER_ERROR, { on: 'GET /v1/checkout/sessions/:id' })
  const page = `/payment/success?session_id=${sessionId}`
  const waiting = await http.get(page)
  expect(waiting.status).toBe(503)
  expect(waiting.headers.get('retry-after')).not.toBeNull()
  expect(await hasPremium()).toBe(false)

  expect((await http.get(page)).status).toBe(200)
  expect(await hasPremium()).toBe(true)
})

test.concurrent('a Resend that fails costs neither a mail nor the code that lives', async () => {
  await using production = await openProduction()
  const { http, email, mailCode, confirm } = await startBuyer(production)
  const code = await mailCode()
  for (let failures = 0; failures < 10; failures++) {
    production.mailbox.refuse(() => Response.json({ message: 'out of order' }, { status: 500 }))
    expect(await http.post('/auth/verify-email', { email })).toMatchObject({
      status: 503,
      body: { error: 'Email delivery unavailable' },
    })
  }
  expect(await mailCode()).toBe(code)
  expect((await confirm(code)).status).toBe(200)
})

test.concurrent('while another process holds the database the webhook asks to be told again, and then it counts', async () => {
  await using production = await openProduction()
  const { alibi, checkOut, hasPremium } = await startBuyer(production)
  const { double } = production
  const paid = double.pay((await checkOut()).sessionId).at(-1)
  if (!paid) throw new Error('the payment made no event')

  // Which writes from time to time to see whether that works, and has done so now.
  expect((await client(alibi.url).get('/ready')).status).toBe(200)
  const hold = holdDatabase(production)
  const refusal = deliver(alibi.url, paid)
  // What does not write does not wait for what does.
  expect((await client(alibi.url).get('/ready')).status).toBe(200)
  await expectOthersServed(alibi, refusal, '/languages')
  const refused = await refusal
  expect(refused.status).toBe(503)
  expect(await refused.json()).toEqual({ error: 'Temporarily unavailable' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await hasPremium()).toBe(false)

  hold[Symbol.dispose]()
  const accepted = await deliver(alibi.url, paid)
  expect([accepted.status, await accepted.json()]).toEqual([200, { received: true }])
  expect(await hasPremium()).toBe(true)
})
