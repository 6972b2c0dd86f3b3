import { afterAll, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { answers } from '../support/http/http-client.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { type Customer, customerSetup, type ShopOptions } from '../support/service/real-customer.ts'
import { openService } from '../support/service/real-service.ts'
import { ANOTHER_LIST, ANOTHER_OBJECT, STRIPE_FAULTS } from '../support/stripe/hostile-stripe.ts'
import { PRICE } from '../support/stripe/payment-gateways.ts'
import type { Fault } from '../support/stripe-double/faults.ts'

/** Where Stripe is silent or asks for a pause. Everything else is answered, however long that takes. */
const GIVEN_UP_MS = 1000

const CREATE = 'POST /v1/checkout/sessions'
const READ = 'GET /v1/checkout/sessions/:id'
const EXPIRE = 'POST /v1/checkout/sessions/:id/expire'
const SESSIONS = 'GET /v1/checkout/sessions'
const EVENTS = 'GET /v1/events'
const REFUND = 'POST /v1/refunds'
const REFUNDS = 'GET /v1/refunds'
const DISPUTES = 'GET /v1/disputes'

const DOWN = answers(503, 'Payment provider unavailable')
const SESSION = { status: 200, body: { success: true } }

type Task = {
  readonly name: string
  /** The request that goes wrong; null is every one. */
  readonly route: string | null
  readonly options?: ShopOptions
  readonly other: Fault
  /** Brings the customer so far, and returns what is tried. */
  prepare(customer: Customer): Promise<() => Promise<unknown>>
  readonly failure: object
  readonly success: object
  /** The tables in which is noted that something was tried, before Stripe is asked. */
  readonly notes: readonly string[]
  /** Until it is tried again by itself. */
  readonly waitMs: number
  /** What it comes to in the end, here (but for what is closed) and at Stripe. */
  readonly end: { premium: boolean; states: string[]; pages: string[]; refunds: number }
}

const AT_ONCE = { notes: [], waitMs: 0, other: 'wrong_id' } as const
const CHECKOUT = { ...AT_ONCE, failure: DOWN, success: SESSION }
const RECONCILER = {
  other: ANOTHER_LIST,
  notes: ['sweeps'],
  waitMs: DAY_MS,
  failure: { clean: false },
  success: { clean: true },
}
const OUTBOX = {
  notes: ['outbox'],
  waitMs: MINUTE_MS,
  failure: { waiting: 1 },
  success: { waiting: 0 },
}
const PAID = { premium: true, states: ['paid'], pages: ['complete'], refunds: 0 }
const GIVEN_BACK = { ...PAID, premium: false, refunds: 1 }
const PAID_TWICE = {
  premium: true,
  states: ['paid', 'paid'],
  pages: ['complete', 'complete'],
  refunds: 1,
}

const TASKS: readonly Task[] = [
  {
    ...CHECKOUT,
    name: 'a first checkout',
    route: CREATE,
    // The purchase is on record before Stripe hears of it; it is opened again, or another one in its place.
    notes: ['purchases'],
    prepare: async ({ verify, checkOut }) => {
      await verify()
      return checkOut
    },
    end: { premium: false, states: ['open'], pages: ['open'], refunds: 0 },
  },
  {
    ...CHECKOUT,
    name: 'a checkout at a price that Stripe keeps',
    route: 'GET /v1/prices/:id',
    options: { product: { priceId: 'price_1' } },
    prepare: async ({ double, verify, checkOut }) => {
      double.addPrice({ id: 'price_1', ...PRICE })
      await verify()
      return checkOut
    },
    end: { premium: false, states: ['open'], pages: ['open'], refunds: 0 },
  },
  {
    ...CHECKOUT,
    name: 'a checkout with a page open',
    route: READ,
    prepare: async ({ openPage, checkOut }) => {
      await openPage()
      return checkOut
    },
    end: { premium: false, states: ['open'], pages: ['open'], refunds: 0 },
  },
  {
    ...CHECKOUT,
    name: 'a checkout with a page that is about to close',
    route: EXPIRE,
    prepare: async ({ clock, openPage, checkOut }) => {
      await openPage()
      clock.advance(29 * MINUTE_MS)
      return checkOut
    },
    end: { premium: false, states: ['open'], pages: ['expired', 'open'], refunds: 0 },
  },
  {
    ...AT_ONCE,
    name: 'the success page',
    route: READ,
    prepare: async ({ double, service, openPage }) => {
      const sessionId = await openPage()
      double.pay(sessionId)
      return () => service.get(`/payment/success?session_id=${sessionId}`)
    },
    failure: { status: 503, text: expect.stringContaining('data-state="unavailable"') },
    success: { status: 200, text: expect.stringContaining('data-state="active"') },
    end: PAID,
  },
  {
    ...AT_ONCE,
    name: 'a webhook that hints at a refund',
    route: REFUNDS,
    other: ANOTHER_LIST,
    prepare: async ({ double, service, pay }) => {
      const hint = double.refund(await pay()).at(-1)!
      return () => service.deliver(hint)
    },
    failure: answers(503, 'Temporarily unavailable'),
    success: { status: 200, body: { received: true } },
    end: GIVEN_BACK,
  },
  {
    ...RECONCILER,
    name: 'the reconciler, of an open purchase',
    route: READ,
    other: 'wrong_id',
    prepare: async (customer) => {
      const sessionId = await customer.openPage()
      // Every other sweep has just run.
      await reconcile(customer)
      customer.double.pay(sessionId)
      return () => reconcile(customer)
    },
    end: PAID,
  },
  {
    ...RECONCILER,
    name: 'the reconciler, whatever it asks',
    route: null,
    prepare: async (customer) => {
      customer.double.pay(await customer.openPage())
      return () => reconcile(customer)
    },
    end: PAID,
  },
  ...[SESSIONS, REFUNDS, DISPUTES].map((route) => ({
    ...RECONCILER,
    name: 'the reconciler, of a purchase whose row was lost',
    route,
    prepare: async (customer: Customer) => {
      const { double, service } = customer
      double.pay(await customer.openPage())
      double.forgetEvents()
      service.connection!.run('DELETE FROM purchases')
      return () => reconcile(customer)
    },
    end: PAID,
  })),
  {
    ...RECONCILER,
    name: 'the reconciler, of an event that was not delivered',
    route: EVENTS,
    prepare: async (customer) => {
      const { double, clock, pay } = customer
      const sessionId = await pay()
      // The sweep of the refunds has just run, and is not due again for a day.
      await reconcile(customer)
      double.refund(sessionId)
      clock.advance(HOUR_MS)
      return () => reconcile(customer)
    },
    end: GIVEN_BACK,
  },
  {
    ...OUTBOX,
    name: 'the refund of a second payment',
    route: REFUND,
    other: ANOTHER_OBJECT,
    prepare: sendBack,
    end: PAID_TWICE,
  },
  {
    ...OUTBOX,
    name: 'the refund of a second payment, which is read once it is made',
    route: REFUNDS,
    other: ANOTHER_LIST,
    prepare: sendBack,
    end: PAID_TWICE,
  },
]

async function reconcile({ service }: Customer) {
  const reports = await service.reconcile()
  return { clean: reports.every(({ finished, failed }) => finished && failed === 0) }
}

async function sendBack({ service, payTwice }: Customer) {
  await payTwice()
  return async () => {
    await service.deliverOutbox()
    const states = (await service.contents())['outbox'] as { state: string }[]
    return { waiting: states.filter(({ state }) => state === 'waiting').length }
  }
}

const openShop = customerSetup()

const isWaitedFor = (fault: Fault | 'other') =>
  fault === 'hang' || (typeof fault === 'object' && 'retry-after' in fault.headers)

/** Has the service give Stripe up soon, until what is returned is called. */
function giveUpSoon({ service, double, clock }: Customer, options: ShopOptions = {}): () => void {
  const { payments } = service.ports
  const patient = { ...payments }
  const { place } = service
  const soon = { ...options, stripe: double, clock, place, timeoutMs: GIVEN_UP_MS }
  Object.assign(payments, openService(soon).ports.payments)
  return () => void Object.assign(payments, patient)
}

/** What is stored, but for these tables. */
async function contentsWithout(tables: readonly string[], { service }: Customer) {
  const entries = Object.entries(await service.contents())
  return Object.fromEntries(entries.filter(([table]) => !tables.includes(table)))
}

function linesSince({ service }: Customer, start: number) {
  const lines = service.ports.log.lines.slice(start).filter(({ level }) => level !== 'info')
  return lines.map(({ level, event, fields }) => ({ level, event, outage: fields['outage'] }))
}

const KEY_REFUSED = {
  level: 'error',
  event: 'provider.key_refused',
  outage: 'payment',
} as const

let combinations = 0
afterAll(() =>
  console.log(
    `Stripe's faults: ${STRIPE_FAULTS.length} x ${TASKS.length} requests, ${combinations} came to nothing and then succeeded`,
  ),
)

describe.each(STRIPE_FAULTS)('while Stripe %s', (_, fault, needsOperator) => {
  test('nothing is done by halves, and everything once it is over', async () => {
    const tries: { task: Task; customer: Customer; attempt: () => Promise<unknown> }[] = []
    for (const task of TASKS) {
      const customer = (await openShop({ ...task.options, timeoutMs: PATIENCE_MS }))()
      tries.push({ task, customer, attempt: await task.prepare(customer) })
    }

    await Promise.all(
      tries.map(async ({ task, customer, attempt }) => {
        const { double, service } = customer
        const before = await contentsWithout(task.notes, customer)
        const mails = service.sentNotices.length
        const lines = service.ports.log.lines.length
        double.fault(fault === 'other' ? task.other : fault, { times: Infinity, on: task.route })
        const waitAgain = isWaitedFor(fault) ? giveUpSoon(customer, task.options) : () => {}

        const { name, route } = task
        expect({ name, route, answer: await attempt() }).toMatchObject({ answer: task.failure })
        waitAgain()

        expect(await contentsWithout(task.notes, customer)).toEqual(before)
        expect(service.sentNotices).toHaveLength(mails)
        const said = linesSince(customer, lines)
        expect(said).not.toBeEmpty()
        if (needsOperator) expect(said).toContainEqual(KEY_REFUSED)
        else expect(said).not.toContainEqual(KEY_REFUSED)
      }),
    )

    for (const { task, customer, attempt } of tries) {
      const { double, service, clock, email } = customer
      double.clearFaults()
      clock.advance(task.waitMs)
      const { name, route } = task
      expect({ name, route, answer: await attempt() }).toMatchObject({ answer: task.success })
      expect({
        name,
        route,
        premium: await service.hasPremium(email),
        states: (await customer.states()).filter((state) => state !== 'closed'),
        pages: customer.pages(),
        refunds: double.refunds.size,
      }).toEqual({ name, route, ...task.end })
      combinations++
    }
  })
})
