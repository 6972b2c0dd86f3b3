import { describe, expect, test } from 'bun:test'
import { startCheckout } from '../../../application/payments/start-checkout.ts'
import type { CheckoutSession } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { attachSession } from '../../../domain/purchase.ts'
import { newVerification } from '../../../domain/verification.ts'
import { fakePorts, ORIGIN, saveVerification } from '../../support/fakes.ts'
import type { scriptedPayments } from '../../support/stripe/scripted-payments.ts'

const email = parseEmail('ada@example.com')

async function open() {
  const ports = fakePorts()
  const { payments } = ports
  const now = ports.clock.now()
  await saveVerification(ports, newVerification(email, { lifetimeMs: 30 * MINUTE_MS, now }))
  const checkout = () => startCheckout(ports, { email, language: 'en' })
  const purchases = async () => (await ports.purchases.findAccount(email)).purchases
  const states = async () => (await purchases()).map(({ state }) => state)
  const payable = () =>
    [...payments.sessions.values()].filter(({ outcome }) => outcome === 'open').length
  return { ports, payments, checkout, purchases, states, payable }
}

/** A provider that opens the session, but whose answer gets lost. */
function loseAnswer(payments: ReturnType<typeof fakePorts>['payments']) {
  const create = payments.createSession
  payments.createSession = async (purchase) => {
    await create(purchase)
    payments.createSession = create
    throw new Unavailable('payment', { cause: new Error('timed out') })
  }
}

describe('a provider that is out of order', () => {
  test('before it is asked its price leaves nothing behind', async () => {
    const { payments, checkout, states } = await open()
    const outage = new Unavailable('payment', { cause: new Error('down') })
    payments.price = () => Promise.reject(outage)
    await expect(checkout()).rejects.toBe(outage)
    expect(await states()).toEqual([])
  })

  test('and says so leaves nothing open: the next try is a new purchase', async () => {
    const { payments, checkout, states, payable } = await open()
    Object.assign(payments, { outage: true, answered: true })
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
    expect(await states()).toEqual(['closed'])

    payments.outage = false
    await checkout()
    expect(await states()).toEqual(['closed', 'open'])
    expect(payable()).toBe(1)
  })

  test('and does not answer is asked for the same session by the next try', async () => {
    const { ports, payments, checkout, purchases, payable } = await open()
    loseAnswer(payments)
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
    const [before] = await purchases()
    expect(before).toMatchObject({ state: 'open', sessionId: null })

    ports.clock.advance(MINUTE_MS)
    const session = await checkout()
    expect(await purchases()).toEqual([{ ...before!, sessionId: session.sessionId }])
    expect(payable()).toBe(1)
  })

  test('and does not answer for a minute is asked for a new session', async () => {
    const { ports, payments, checkout, states } = await open()
    loseAnswer(payments)
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
    ports.clock.advance(MINUTE_MS + 1)
    await checkout()
    expect(await states()).toEqual(['closed', 'open'])
  })

  test('and answers late, at an old price by then, has that session expired', async () => {
    const { payments, checkout, purchases, payable } = await open()
    loseAnswer(payments)
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
    payments.today = { amount: 500, currency: 'eur' }
    await checkout()
    expect((await purchases()).map(({ state, price }) => [state, price.amount])).toEqual([
      ['closed', 400],
      ['open', 500],
    ])
    expect(payable()).toBe(1)
  })

  test('cannot say whether a session is open: it is neither handed out nor given up', async () => {
    const { payments, checkout, states } = await open()
    const session = await checkout()
    payments.outage = true
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
    expect(await states()).toEqual(['open'])

    payments.outage = false
    expect(await checkout()).toEqual(session)
  })

  test('cannot expire a session: the old one stays the only one until it can', async () => {
    const { payments, checkout, states, payable } = await open()
    const session = await checkout()
    payments.today = { amount: 500, currency: 'eur' }
    const expire = payments.expireSession
    payments.expireSession = () =>
      Promise.reject(new Unavailable('payment', { cause: new Error('down') }))
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
    expect(await states()).toEqual(['open'])
    expect(payable()).toBe(1)

    payments.expireSession = expire
    expect((await checkout()).sessionId).not.toBe(session.sessionId)
    expect(payable()).toBe(1)
  })
})

/** Lets the test decide when, and how, the provider answers each wish for a session, until it is released. */
function holdCreation(payments: ReturnType<typeof scriptedPayments>) {
  const create = payments.createSession
  const answers: PromiseWithResolvers<void>[] = []
  payments.createSession = async (purchase): Promise<CheckoutSession> => {
    const answer = Promise.withResolvers<void>()
    answers.push(answer)
    await answer.promise
    return create(purchase)
  }
  function release() {
    payments.createSession = create
  }
  return { answers, release }
}

describe('parallel requests', () => {
  test('of which the provider refuses one leave the session of the other open, and it is the only one', async () => {
    const { payments, checkout, purchases, payable } = await open()
    const { answers, release } = holdCreation(payments)
    const opened = checkout()
    const refused = checkout()
    while (answers.length < 2) await Promise.resolve()

    answers[0]!.resolve()
    const session = await opened
    answers[1]!.reject(
      new Unavailable('payment', { cause: new Error('key in use'), answered: true }),
    )
    await expect(refused).rejects.toBeInstanceOf(Unavailable)

    expect(await purchases()).toMatchObject([{ state: 'open', sessionId: session.sessionId }])
    release()
    expect(await checkout()).toEqual(session)
    expect(payable()).toBe(1)
  })

  test('of which one comes too late to give the purchase up get the session that it has by then', async () => {
    const { ports, payments, checkout, purchases, payable } = await open()
    loseAnswer(payments)
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
    const [purchase] = await purchases()
    const [sessionId] = payments.sessions.keys()
    ports.clock.advance(MINUTE_MS + 1)

    // Only giving it up asks for the purchase by its id.
    const { update, updateById } = ports.purchases
    let attempts = 0
    ports.purchases.updateById = async (id, cause, change) => {
      attempts++
      if (attempts === 1)
        await update(email, ORIGIN, () => ({ purchase: attachSession(purchase!, sessionId!) }))
      return updateById(id, cause, change)
    }
    expect((await checkout()).sessionId).toBe(sessionId!)
    expect(attempts).toBeGreaterThan(0)
    expect(payable()).toBe(1)
  })

  test('of which one gives the purchase up first make the other open a new one', async () => {
    const { payments, checkout, states, payable } = await open()
    const { answers, release } = holdCreation(payments)
    const slow = checkout()
    const refused = checkout()
    while (answers.length < 2) await Promise.resolve()

    answers[1]!.reject(new Unavailable('payment', { cause: new Error('no'), answered: true }))
    await expect(refused).rejects.toBeInstanceOf(Unavailable)
    release()
    answers[0]!.resolve()
    const session = await slow

    expect(await states()).toEqual(['closed', 'open'])
    expect(payable()).toBe(1)
    expect(payments.sessions.get(session.sessionId)?.outcome).toBe('open')
  })
})
