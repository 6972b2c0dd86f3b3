import { describe, expect, test } from 'bun:test'
import type Stripe from 'stripe'
import type { ListPage, ListWindow, PaymentCalls } from '../../../application/ports.ts'
import { HOUR_MS } from '../../../domain/duration.ts'
import { EVENT_TYPES } from '../../../infrastructure/stripe/events.ts'
import { stripeSetup, withPayment } from '../../support/stripe/stripe-setup.ts'
import type { StripeDouble } from '../../support/stripe-double/stripe-double.ts'

const start = stripeSetup()
const startWithPayment = async () => withPayment(await start())

type Find = (gateway: PaymentCalls, window: ListWindow) => Promise<ListPage<unknown>>

/** Every list, how its objects are named in our terms, and how the double gets another one. */
const LISTS: Readonly<
  Record<
    string,
    {
      find: Find
      name: string
      params: object
      add: (double: StripeDouble, sessionId: string) => void
    }
  >
> = {
  'GET /v1/checkout/sessions': {
    find: (gateway, window) => gateway.findCompletedSessions(window),
    name: 'sessionId',
    params: { status: 'complete', expand: { 0: 'data.payment_intent' } },
    add(double, sessionId) {
      const session = double.sessions.get(sessionId)!
      const id = `cs_test_${double.sessions.size}`
      double.sessions.set(id, { ...session, id })
    },
  },
  'GET /v1/events': {
    find: (gateway, window) => gateway.findUndeliveredNotifications(window),
    name: 'eventId',
    params: { delivery_success: 'false', types: { ...EVENT_TYPES } },
    add: (double, sessionId) => void double.refund(sessionId, { amount: 1 }),
  },
  'GET /v1/refunds': {
    find: (gateway, window) => gateway.findRefunds(window),
    name: 'id',
    params: {},
    add: (double, sessionId) => void double.refund(sessionId, { amount: 1 }),
  },
  'GET /v1/disputes': {
    find: (gateway, window) => gateway.findDisputes(window),
    name: 'id',
    params: {},
    add: (double, sessionId) => void double.dispute(sessionId, 'inquiry'),
  },
}

/** A page as the double has it, and what to send in its place. */
async function startWithList(route: string, count: number) {
  const { double, gateway, sessionId, since } = await startWithPayment()
  for (let added = 0; added < count; added++) LISTS[route]?.add(double, sessionId)
  const response = await fetch(`${double.url}${route.replace('GET ', '')}?limit=100`, {
    headers: { authorization: `Bearer ${double.secretKey}` },
  })
  const page = (await response.json()) as { data: Record<string, unknown>[] }
  expect(page.data.length).toBeGreaterThanOrEqual(count)
  const answerWith = (data: readonly unknown[], own: object = {}) =>
    double.fault({ status: 200, headers: {}, body: JSON.stringify({ ...page, data, ...own }) })
  return { double, gateway, since, data: page.data, answerWith }
}

async function everyPage(find: Find, gateway: PaymentCalls, since: Date) {
  const pages: ListPage<unknown>[] = []
  let cursor: string | null = null
  do {
    const page: ListPage<unknown> = await find(gateway, { since, cursor })
    pages.push(page)
    cursor = page.cursor
  } while (cursor !== null)
  return pages
}

describe.each(Object.entries(LISTS))('%s', (route, { find, name, params, add }) => {
  const namesIn = (page: ListPage<unknown>) =>
    page.items.map((item) => String(Reflect.get(Object(item), name)))

  test('is asked for exactly one page of what was made in the window', async () => {
    const { double, gateway, clock } = await startWithPayment()
    const since = new Date(clock.now().getTime() + 999)
    await find(gateway, { since, cursor: null })
    const created = { gte: String(clock.now().getTime() / 1000) }
    const asked = double.requests.map((request) => [request.route, request.form])
    expect(asked).toEqual([[route, { limit: '100', created, ...params }]])
  })

  test('is read to its end, and names each of more than 250 objects once', async () => {
    const { double, gateway, sessionId, since } = await startWithPayment()
    for (let count = 0; count < 250; count++) add(double, sessionId)
    const pages = await everyPage(find, gateway, since)
    const names = pages.flatMap(namesIn)
    expect(names.length).toBeGreaterThanOrEqual(250)
    expect(new Set(names).size).toBe(names.length)
    expect(pages.flatMap(({ unreadable }) => unreadable)).toEqual([])
    expect(pages.slice(0, -1).every(({ items }) => items.length === 100)).toBe(true)

    const after = double.requests.map(({ form }) => form['starting_after'])
    expect(after).toEqual([undefined, ...pages.slice(0, -1).map(({ cursor }) => cursor!)])
    expect(double.count(route)).toBe(pages.length)
  })

  test('hides nothing behind an object that makes no sense', async () => {
    const { gateway, since, data, answerWith } = await startWithList(route, 5)
    const [first, second, third, ...rest] = data
    const { id, ...nameless } = first!
    const spoiled = [
      first,
      null,
      { ...second, object: 'customer' },
      nameless,
      { ...third, object: undefined },
      7,
      { ...first, id: `${id}\nforged` },
      ...rest,
    ]
    answerWith(spoiled)
    const page = await find(gateway, { since, cursor: null })
    expect(page.unreadable).toEqual([
      'unknown',
      String(second!['id']),
      'unknown',
      String(third!['id']),
      'unknown',
      'unknown',
    ])
    expect(rest.length).toBeGreaterThanOrEqual(2)
    answerWith([first, ...rest])
    expect(namesIn(page)).toEqual(namesIn(await find(gateway, { since, cursor: null })))
    expect(page.items).toHaveLength(1 + rest.length)
  })

  test('goes on after the last object that has a name', async () => {
    const { gateway, since, data, answerWith } = await startWithList(route, 3)
    answerWith([...data, { object: 'customer' }, null], { has_more: true })
    const page = await find(gateway, { since, cursor: null })
    expect(page.cursor).toBe(String(data.at(-1)!['id']))
    expect(page.unreadable).toEqual(['unknown', 'unknown'])
  })

  test('is no list where it does not say how to go on', async () => {
    const { double, gateway, since, data, answerWith } = await startWithList(route, 3)
    const spoils: (() => void)[] = [
      () => answerWith([], { has_more: true }),
      () => answerWith([null, {}], { has_more: true }),
      () => answerWith(data, { has_more: undefined }),
      () => answerWith(data, { has_more: 'false' }),
      () => answerWith(data, { object: 'search_result' }),
      () => answerWith(data, { data: { 0: data[0] } }),
    ]
    for (const spoil of spoils) {
      spoil()
      const asked = find(gateway, { since, cursor: null })
      await expect(asked).rejects.toMatchObject({ outage: 'payment', answered: false })
    }
    expect(double.count(route)).toBe(1 + spoils.length)
  })
})

describe('completed sessions', () => {
  test('in an unknown state are named, and hide no others', async () => {
    const { gateway, since, data, answerWith } = await startWithList('GET /v1/checkout/sessions', 4)
    const [first, second, ...rest] = data
    answerWith([first, { ...second, status: 'paused' }, { ...first, status: null }, ...rest])
    const page = await gateway.findCompletedSessions({ since, cursor: null })
    expect(page.unreadable).toEqual([String(second?.['id']), String(first?.['id'])])
    expect(page.items).toHaveLength(1 + rest.length)
  })

  test('of the other mode are told as they are: whoever settles them judges them', async () => {
    const { double, gateway, sessionId, since } = await startWithPayment()
    double.alterSession(sessionId, { livemode: true })
    const { items } = await gateway.findCompletedSessions({ since, cursor: null })
    expect(items).toMatchObject([{ sessionId, live: true }])
  })
})

describe('refunds and disputes', () => {
  test('of money that did not come through us are left out', async () => {
    const { double, gateway, sessionId, since } = await startWithPayment()
    for (const reversals of [double.refunds, double.disputes] as Map<string, { id: string }>[]) {
      if (reversals === double.refunds) double.refund(sessionId, { amount: 1 })
      else double.dispute(sessionId, 'chargeback')
      const [ours] = reversals.values()
      const foreign = { ...ours!, id: 'foreign_1', payment_intent: null, charge: 'ch_other' }
      reversals.set(foreign.id, foreign)
      const find = reversals === double.refunds ? gateway.findRefunds : gateway.findDisputes
      const page: ListPage<{ id: string }> = await find({ since, cursor: null })
      expect(page.items.map(({ id }) => id)).toEqual([ours!.id])
      expect(page.unreadable).toEqual([])
    }
  })

  test('of the other mode are left out where they say so', async () => {
    const { double, gateway, sessionId, since } = await startWithPayment()
    double.dispute(sessionId, 'inquiry')
    const [dispute] = double.disputes.values() as Iterable<Stripe.Dispute>
    double.disputes.set('du_live', { ...dispute!, id: 'du_live', livemode: true })
    const page = await gateway.findDisputes({ since, cursor: null })
    expect(page.items.map(({ id }) => id)).toEqual([dispute!.id])
    expect(page.unreadable).toEqual([])
  })

  test('without an amount that can be counted are named, and hide no others', async () => {
    const { double, gateway, sessionId, since } = await startWithPayment()
    double.refund(sessionId, { amount: 1 })
    double.refund(sessionId, { amount: 2 })
    const [first] = double.refunds.values() as Iterable<Stripe.Refund>
    double.refunds.set(first!.id, { ...first!, amount: '1' as unknown as number })
    const page = await gateway.findRefunds({ since, cursor: null })
    expect(page.unreadable).toEqual([first!.id])
    expect(page.items).toMatchObject([{ amount: 2, state: 'succeeded' }])
  })

  test('are reported with the states that they have by now', async () => {
    const { double, gateway, clock, sessionId, since } = await startWithPayment()
    double.refund(sessionId, { amount: 1, pending: true })
    const [bounced] = double.refund(sessionId, { amount: 2 })
    double.failRefund(String(bounced?.data.object['id']))
    const [opened] = double.dispute(sessionId, 'chargeback')
    double.closeDispute(String(opened?.data.object['id']), 'lost')
    clock.advance(3_600_999)
    const refunds = await gateway.findRefunds({ since, cursor: null })
    expect(refunds.items.map(({ state }) => state)).toEqual(['failed', 'pending'])
    const disputes = await gateway.findDisputes({ since, cursor: null })
    const reportedAt = new Date(since.getTime() + HOUR_MS)
    expect(disputes.items).toMatchObject([{ state: 'lost', reportedAt }])
  })
})

test('all sessions of a window are asked for with the payments of those that were tried', async () => {
  const { double, gateway, clock } = await startWithPayment()
  const since = new Date(clock.now().getTime() - HOUR_MS)
  const until = new Date(clock.now().getTime() + 999)
  const { items } = await gateway.findSessions({ since, until, cursor: null })
  expect(items).toMatchObject([{ outcome: 'paid' }])
  const seconds = (moment: Date) => String(Math.floor(moment.getTime() / 1000))
  expect(double.requests.map(({ route, form }) => [route, form])).toEqual([
    [
      'GET /v1/checkout/sessions',
      {
        limit: '100',
        created: { gte: seconds(since), lte: seconds(until) },
        expand: { 0: 'data.payment_intent' },
      },
    ],
  ])
})
