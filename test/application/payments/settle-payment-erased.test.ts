import { describe, expect, test } from 'bun:test'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { eraseEmail } from '../../../application/customers/erase-email.ts'
import { grantPremium } from '../../../application/customers/grant-premium.ts'
import { checkPayment } from '../../../application/payments/check-payment.ts'
import { deliverOutbox } from '../../../application/payments/deliver-outbox.ts'
import { settlePayment, settleSession } from '../../../application/payments/settle-payment.ts'
import { startCheckout } from '../../../application/payments/start-checkout.ts'
import { reconcilePayments } from '../../../application/reconciling/reconcile-payments.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { HOUR_MS } from '../../../domain/duration.ts'
import { isErased } from '../../../domain/erasure.ts'
import { DomainError } from '../../../domain/errors.ts'
import { newVerification } from '../../../domain/verification.ts'
import { type FakePorts, openBuyer } from '../../support/buyers.ts'
import { fakePorts, saveVerification } from '../../support/fakes.ts'
import { ANNA } from '../../support/stores/contract-purchases.ts'

const RUNNING = new AbortController().signal

/** A buyer whose page was closed and whose address was erased. */
async function openErased() {
  const buyer = await openBuyer()
  await erase(buyer.ports)
  return buyer
}

async function erase(ports: FakePorts) {
  expect(await eraseEmail(ports, ANNA)).toMatchObject({ outcome: 'erased' })
}

async function expectForgotten(ports: FakePorts) {
  const { purchases, grants, messages, audit } = await ports.personalData.find(ANNA)
  expect([purchases, grants, messages, audit]).toEqual([[], [], [], []])
}

const WAYS_TO_HEAR: readonly [
  string,
  (buyer: Awaited<ReturnType<typeof openErased>>) => Promise<unknown>,
][] = [
  ['a webhook', ({ ports, notification }) => settlePayment(ports, notification(), 'webhook')],
  ['the success page', ({ ports, sessionId }) => checkPayment(ports, sessionId)],
  ['the reconciler', ({ ports }) => reconcilePayments(ports, { only: 'all', stopping: RUNNING })],
]

describe('money that comes for an address that was erased', () => {
  test.each(WAYS_TO_HEAR)(
    'and is heard of through %s settles on the row that was kept, and calls the operator',
    async (_, hear) => {
      const buyer = await openErased()
      const { ports, move, current } = buyer
      expect(move('paid').order?.email).toBe(ANNA)
      await hear(buyer)
      const purchase = await current()
      expect(purchase.state).toBe('paid')
      expect(isErased(purchase.email)).toBe(true)
      await expectForgotten(ports)
      expect(ports.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
        { fields: { purchase: purchase.id } },
      ])

      await hear(buyer)
      expect(ports.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    },
  )

  test('gives no access, and the success page says so', async () => {
    const { ports, move, sessionId } = await openErased()
    move('paid')
    expect(await checkPayment(ports, sessionId)).toBe('ended')
    expect(await checkPayment(ports, sessionId)).toBe('ended')
    expect(await checkPremium(ports, ANNA)).toBe(false)
  })

  test.each(['paid', 'failed'] as const)('leads to no mail: %s', async (outcome) => {
    const { ports, move, purchaseId } = await openErased()
    await settleSession(ports, move(outcome), 'webhook')
    await deliverOutbox(ports, RUNNING)
    expect(ports.mailer.notices).toEqual([])
    const messages = await ports.outbox.findByPurchase(purchaseId)
    expect(messages.filter(({ state }) => state !== 'dropped')).toEqual([])
  })
})

describe('what waited in the outbox when the address was erased', () => {
  test('is not mailed any more', async () => {
    const { ports, move, purchaseId } = await openBuyer()
    await settleSession(ports, move('paid'), 'webhook')
    await erase(ports)
    await deliverOutbox(ports, RUNNING)
    expect(ports.mailer.notices).toEqual([])
    expect(await ports.outbox.findByPurchase(purchaseId)).toMatchObject([{ state: 'dropped' }])
  })

  test.each(['before it is carried out', 'while it is carried out'])(
    'is sent back all the same, as a second payment: erased %s',
    async (moment) => {
      const { ports, second } = await openPaidTwice()
      if (moment === 'before it is carried out') await erase(ports)
      else eraseAt(ports, 'listRefunds')
      await deliverOutbox(ports, RUNNING)
      await expectForgotten(ports)
      expect(ports.payments.refunds).toMatchObject([
        { paymentIntentId: second.paymentIntentId, amount: 400 },
      ])
      expect(await ports.outbox.findByPurchase(second.purchaseId)).toMatchObject([
        { state: 'done' },
      ])
    },
  )
})

describe('an erasure in the same moment', () => {
  test('as a second payment is looked at does not keep it from being sent back', async () => {
    const { ports, second } = await openPaidTwice()
    const { findById } = ports.purchases
    // A method that looks up the address first and the account then must not find that account empty.
    ports.purchases.findById = async (id) => {
      const found = await findById(id)
      await eraseEmail(ports, ANNA)
      return found
    }
    await deliverOutbox(ports, RUNNING)
    expect(ports.payments.refunds).toMatchObject([{ paymentIntentId: second.paymentIntentId }])
  })

  test('as a report is applied costs neither the report nor the erasure', async () => {
    const { ports, move, sessionId, current } = await openBuyer()
    await eraseAfterReading(ports)
    // Closed first, so that the erasure comes through; paid in the end.
    const paid = { ...move('expired'), outcome: 'paid' as const, paymentIntentId: 'pi_1' }
    // Without a name, its purchase is looked for first, and settled then.
    const report = { ...paid, purchaseId: null }
    ports.payments.sessions.set(sessionId, { ...report, outcome: 'expired' })
    expect(await settleSession(ports, report, 'webhook')).toMatchObject({ isStateChange: true })
    expect(await current()).toMatchObject({ state: 'paid' })
    expect(isErased((await current()).email)).toBe(true)
    await expectForgotten(ports)
  })

  test('as a checkout begins leaves it without its verification, and nothing stored', async () => {
    const { ports, checkout } = await openVerified()
    await grantPremiumElsewhere(ports)
    eraseAt(ports, 'price')
    await expect(checkout()).rejects.toEqual(new DomainError('email_not_verified'))
    await expectForgotten(ports)
    expect(ports.payments.sessions.size).toBe(0)
  })

  test('as the provider opens a page closes that page, and nothing is stored', async () => {
    const { ports, checkout } = await openVerified()
    eraseAt(ports, 'createSession')
    await expect(checkout()).rejects.toEqual(new DomainError('email_not_verified'))
    await expectForgotten(ports)
    const outcomes = [...ports.payments.sessions.values()].map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['expired'])
  })

  test('as the provider refuses a page is not undone by giving the purchase up', async () => {
    const { ports, checkout } = await openVerified()
    eraseAt(ports, 'createSession')
    const { createSession } = ports.payments
    ports.payments.createSession = async (purchase) => {
      await createSession(purchase)
      throw new Unavailable('payment', { cause: new Error('refused'), answered: true })
    }
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
    await expectForgotten(ports)
  })

  test('as the reconciler gives a purchase up is not undone by that', async () => {
    const { ports, checkout } = await openVerified()
    ports.payments.createSession = async () => {
      throw new Unavailable('payment', { cause: new Error('silent') })
    }
    await expect(checkout()).rejects.toBeInstanceOf(Unavailable)
    ports.clock.advance(HOUR_MS)
    const { updateById } = ports.purchases
    ports.purchases.updateById = async (...request) => {
      ports.purchases.updateById = updateById
      await erase(ports)
      return updateById(...request)
    }
    await reconcilePayments(ports, { only: 'all', stopping: RUNNING })
    await expectForgotten(ports)
  })
})

async function openVerified() {
  const ports = fakePorts()
  const now = ports.clock.now()
  await saveVerification(ports, newVerification(ANNA, { lifetimeMs: HOUR_MS, now }))
  return { ports, checkout: () => startCheckout(ports, { email: ANNA, language: 'en' }) }
}

/** Two payments, of which the second one waits to be sent back. */
async function openPaidTwice() {
  const ports = fakePorts()
  const first = await openBuyer({ ports })
  ports.payments.move(first.sessionId, 'expired')
  await settleSession(ports, ports.payments.sessions.get(first.sessionId)!, 'page')
  const second = await openBuyer({ ports })
  await settleSession(ports, first.move('paid'), 'webhook')
  await deliverOutbox(ports, RUNNING)
  await settleSession(ports, second.move('paid'), 'webhook')
  expect(await second.current()).toMatchObject({ isDuplicate: true })
  return { ports, second }
}

/** Erases when the provider is asked that for the first time, before it answers. */
function eraseAt(ports: FakePorts, question: 'price' | 'createSession' | 'listRefunds') {
  const ask = ports.payments[question] as (...request: unknown[]) => Promise<unknown>
  Object.assign(ports.payments, {
    async [question](...request: unknown[]) {
      Object.assign(ports.payments, { [question]: ask })
      await erase(ports)
      return ask(...request)
    },
  })
}

/** Erases as soon as a purchase was found by its session. */
async function eraseAfterReading(ports: FakePorts) {
  const { findBySessionId } = ports.purchases
  ports.purchases.findBySessionId = async (sessionId) => {
    ports.purchases.findBySessionId = findBySessionId
    const found = await findBySessionId(sessionId)
    await erase(ports)
    return found
  }
}

/** Something beside the verification, that an erasure has to find. */
async function grantPremiumElsewhere(ports: FakePorts) {
  await grantPremium(ports, ANNA)
  await ports.premiumGrants.revokeAll(ANNA, {
    at: ports.clock.now(),
    by: 'operator',
    source: null,
  })
}
