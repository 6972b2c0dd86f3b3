import { describe, expect, test } from 'bun:test'
import { SANDBOX_ACTIONS, type SandboxAction } from '../../../application/sandbox-checkout.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/duration.ts'
import type { OutboxKey } from '../../../domain/outbox.ts'
import { sandboxPaymentGateway } from '../../../infrastructure/sandbox/payment-gateway.ts'
import type { SandboxDelivery } from '../../../infrastructure/sandbox/webhook-sender.ts'
import { returnUrls } from '../../../interfaces/composition/compose-providers.ts'
import { fixedClock } from '../../support/fakes.ts'
import { memorySandboxSessions } from '../../support/stores/sandbox-session-memory.ts'
import {
  deliveryQueue,
  newPurchase,
  PRICE,
  PUBLIC_URL,
  SEALS,
  WEBHOOK_SECRET,
} from '../../support/stripe/payment-gateways.ts'

type Settings = Parameters<typeof sandboxPaymentGateway>[0]

/** A sandbox with one session in it, and everything that it delivers. */
async function openSandbox(own: Partial<Settings> = {}) {
  const clock = fixedClock()
  const deliveries = deliveryQueue()
  let ids = 0
  const opened = sandboxPaymentGateway({
    sessions: memorySandboxSessions(),
    price: PRICE,
    productName: 'Alibi Premium',
    payUrl: `${PUBLIC_URL}/sandbox/pay/`,
    returnUrls: returnUrls(PUBLIC_URL),
    seals: SEALS,
    webhookSecret: WEBHOOK_SECRET,
    deliver: async (delivery) => deliveries.push(delivery),
    wait: () => Promise.reject(new Error('nothing had to be sent again')),
    clock,
    newId: (prefix) => `${prefix}${++ids}`,
    ...own,
  })
  const sandbox = { ...opened, gateway: { ...opened.payments, ...opened.notifications } }
  const purchase = newPurchase(clock.now())
  const { sessionId, checkoutUrl } = await sandbox.gateway.createSession(purchase)
  async function play(...actions: SandboxAction[]) {
    for (const action of actions) await sandbox.sandboxCheckout.applyAction(sessionId, action)
    return sandbox.sandboxCheckout.find(sessionId)
  }
  const nextEvent = async () => JSON.parse((await deliveries.next()).payload)
  /** Whatever was delivered before would come before what another session makes. */
  async function expectNothingElse() {
    const other = await sandbox.gateway.createSession(newPurchase(clock.now()))
    await sandbox.sandboxCheckout.applyAction(other.sessionId, 'pay')
    expect((await nextEvent()).data.object.id).toBe(other.sessionId)
  }
  return {
    ...sandbox,
    clock,
    deliveries,
    purchase,
    sessionId,
    checkoutUrl,
    play,
    nextEvent,
    expectNothingElse,
  }
}

test('the hosted page has an address of its own, and knows where the buyer goes next', async () => {
  const { sandboxCheckout, sessionId, checkoutUrl } = await openSandbox()
  expect(checkoutUrl).toBe(`https://alibi.example/sandbox/pay/${sessionId}`)
  expect(await sandboxCheckout.find(sessionId)).toEqual({
    sessionId,
    productName: 'Alibi Premium',
    price: PRICE,
    state: 'open',
    successUrl: `https://alibi.example/payment/success?session_id=${sessionId}`,
    cancelUrl: 'https://alibi.example/payment/cancel',
  })
})

test('nothing is known of a session that is not there', async () => {
  const { sandboxCheckout } = await openSandbox()
  expect(await sandboxCheckout.find('cs_sandbox_nobody')).toBeNull()
  expect(await sandboxCheckout.applyAction('cs_sandbox_nobody', 'pay')).toBeNull()
})

test('a payment is found again by its session, with all that was ordered', async () => {
  const { gateway, clock, purchase, play, sessionId } = await openSandbox()
  const window = { since: clock.now(), cursor: null }
  expect((await gateway.findCompletedSessions(window)).items).toEqual([])
  await play('pay')
  clock.advance(HOUR_MS)
  const { id, email, price, createdAt, expiresAt } = purchase
  const order = { id, email, language: 'en', price, createdAt, expiresAt }
  const report = { sessionId, outcome: 'paid', order }
  expect((await gateway.findCompletedSessions(window)).items).toMatchObject([report])
})

test('a step whose transaction came to nothing is delivered as it was taken in the end, and once', async () => {
  const sessions = memorySandboxSessions()
  const { gateway, sessionId, play, nextEvent, expectNothingElse } = await openSandbox({
    sessions: {
      ...sessions,
      async update(sessionId, change) {
        const known = await sessions.find(sessionId)
        if (known) change(known)
        return sessions.update(sessionId, change)
      },
    },
  })
  await play('pay')
  const stored = await gateway.readSession(sessionId)
  expect((await nextEvent()).data.object.payment_intent).toBe(stored?.paymentIntentId)
  await expectNothingElse()
})

test('no money can be sent back, and no bank asks for it', async () => {
  const { gateway, clock, play, sessionId } = await openSandbox()
  const window = { since: clock.now(), cursor: null }
  await play('pay')
  const paymentIntentId = (await gateway.readSession(sessionId))?.paymentIntentId ?? ''
  expect(paymentIntentId).not.toBe('')
  const key = 'duplicate_refund:pur_1' as OutboxKey
  await expect(gateway.refundPayment({ paymentIntentId, key })).rejects.toMatchObject({
    outage: 'payment',
    answered: true,
  })
  expect((await gateway.findRefunds(window)).items).toEqual([])
  expect((await gateway.findDisputes(window)).items).toEqual([])
})

describe('an action', () => {
  const PATHS: readonly (readonly [readonly SandboxAction[], string, readonly SandboxAction[]])[] =
    [
      [[], 'open', ['pay', 'pay_late', 'decline']],
      [['decline'], 'declined', ['pay', 'pay_late', 'decline']],
      [['pay_late'], 'awaiting_money', ['money_arrives', 'money_bounces']],
      [['pay'], 'paid', []],
      [['decline', 'pay'], 'paid', []],
      [['pay_late', 'money_arrives'], 'paid', []],
      [['pay_late', 'money_bounces'], 'failed', []],
    ]

  test.each(PATHS)(
    'after %j leaves the session %s unless it is one of %j',
    async (path, state, fits) => {
      for (const action of SANDBOX_ACTIONS.filter((one) => !fits.includes(one))) {
        const { sandboxCheckout, sessionId, play, deliveries, expectNothingElse } =
          await openSandbox()
        const before = await play(...path)
        expect(before?.state).toBe(state as 'open')
        for (const _ of path) await deliveries.next()
        expect(await sandboxCheckout.applyAction(sessionId, action)).toEqual(before)
        await expectNothingElse()
      }
    },
  )

  test('on a session whose time is over finds it expired', async () => {
    const { clock, sandboxCheckout, purchase, sessionId, nextEvent } = await openSandbox()
    clock.advance(purchase.expiresAt.getTime() - clock.now().getTime())
    expect(await sandboxCheckout.applyAction(sessionId, 'pay')).toMatchObject({ state: 'expired' })
    expect(await nextEvent()).toMatchObject({ type: 'checkout.session.expired' })
  })

  test('still brings late money after the time of the session is over', async () => {
    const { clock, play } = await openSandbox()
    await play('pay_late')
    clock.advance(DAY_MS)
    expect(await play('money_arrives')).toMatchObject({ state: 'paid' })
  })

  test('that is taken twice at once happens once', async () => {
    const { sandboxCheckout, sessionId, deliveries, expectNothingElse } = await openSandbox()
    await Promise.all([
      sandboxCheckout.applyAction(sessionId, 'pay'),
      sandboxCheckout.applyAction(sessionId, 'pay'),
    ])
    await deliveries.next()
    await expectNothingElse()
  })
})

describe('a notification', () => {
  test.each([
    [['pay'], 'checkout.session.completed', 'paid'],
    [['pay_late'], 'checkout.session.completed', 'unpaid'],
    [['pay_late', 'money_arrives'], 'checkout.session.async_payment_succeeded', 'paid'],
    [['pay_late', 'money_bounces'], 'checkout.session.async_payment_failed', 'unpaid'],
  ] as const)('after %j is a Stripe event: %s, %s', async (path, type, payment_status) => {
    const { play, nextEvent, clock, purchase, sessionId } = await openSandbox()
    const events = []
    for (const action of path) {
      await play(action)
      events.push(await nextEvent())
    }
    expect(events.at(-1)).toMatchObject({
      object: 'event',
      type,
      created: clock.now().getTime() / 1000,
      livemode: false,
      data: {
        object: {
          id: sessionId,
          object: 'checkout.session',
          client_reference_id: purchase.id,
          metadata: {
            purchase_id: purchase.id,
            email: purchase.email,
            language: 'en',
            amount: '400',
            currency: 'eur',
          },
          success_url: `https://alibi.example/payment/success?session_id=${sessionId}`,
          customer_email: purchase.email,
          amount_total: 400,
          currency: 'eur',
          status: 'complete',
          payment_status,
        },
      },
    })
  })

  test('of a declined card is about the payment, and is nothing that Alibi acts on', async () => {
    const { gateway, play, deliveries } = await openSandbox()
    await play('decline')
    const { payload, signature } = await deliveries.next()
    expect(JSON.parse(payload)).toMatchObject({
      type: 'payment_intent.payment_failed',
      data: { object: { object: 'payment_intent', status: 'requires_payment_method' } },
    })
    const notification = await gateway.verifyEvent({
      payload: Buffer.from(payload),
      signature,
    })
    expect(notification.kind).toBe('other')
  })

  test('of an expiry comes once, however often anyone looks', async () => {
    const { clock, sandboxCheckout, gateway, sessionId, purchase, deliveries, expectNothingElse } =
      await openSandbox()
    clock.advance(purchase.expiresAt.getTime() - clock.now().getTime())
    await sandboxCheckout.find(sessionId)
    await gateway.readSession(sessionId)
    await gateway.expireSession(sessionId)
    await deliveries.next()
    await expectNothingElse()
  })

  test('comes again, with a new signature and after growing waits, until it is taken', async () => {
    const answers: (boolean | Error)[] = [false, new Error('refused'), false, true]
    const tries: SandboxDelivery[] = []
    const waits: number[] = []
    const taken = Promise.withResolvers<void>()
    const clock = fixedClock()
    const { gateway, play } = await openSandbox({
      clock,
      async deliver(delivery) {
        tries.push(delivery)
        const answer = answers[tries.length - 1]
        if (answer instanceof Error) throw answer
        if (answer) taken.resolve()
        return answer === true
      },
      async wait(milliseconds) {
        waits.push(milliseconds)
        clock.advance(400_000)
      },
    })
    await play('pay')
    await taken.promise
    expect(waits).toEqual([500, 1000, 2000])
    expect(new Set(tries.map(({ payload }) => payload)).size).toBe(1)
    const last = tries.at(-1)!
    const payload = Buffer.from(last.payload)
    expect(await gateway.verifyEvent({ payload, signature: last.signature })).toMatchObject({
      kind: 'session',
      report: { outcome: 'paid' },
    })
  })

  test('is not sent again once the sandbox is stopped', async () => {
    const stopped = await openRefused()
    const running = await openRefused()
    stopped.stop()
    stopped.resume()
    running.resume()
    // Signing takes both of them equally long.
    await running.triedTwice
    expect(stopped.tries()).toBe(1)
  })

  test('does not hold up the buyer', async () => {
    const { sandboxCheckout, sessionId } = await openSandbox({
      deliver: () => new Promise(() => {}),
    })
    expect(await sandboxCheckout.applyAction(sessionId, 'pay')).toMatchObject({ state: 'paid' })
  })
})

/** A sandbox whose one notification was refused once and waits to be sent again. */
async function openRefused() {
  const waiting = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  const triedTwice = Promise.withResolvers<void>()
  let tries = 0
  const { play, stop } = await openSandbox({
    async deliver() {
      tries++
      if (tries === 2) triedTwice.resolve()
      return tries === 2
    },
    wait() {
      waiting.resolve()
      return resumed.promise
    },
  })
  await play('pay')
  await waiting.promise
  return { stop, resume: resumed.resolve, triedTwice: triedTwice.promise, tries: () => tries }
}
