import { describe, expect, test } from 'bun:test'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { checkPayment } from '../../../application/payments/check-payment.ts'
import { startCheckout } from '../../../application/payments/start-checkout.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { newVerification } from '../../../domain/verification.ts'
import { fakePorts, NOON, ORIGIN, saveVerification } from '../../support/fakes.ts'
import { paidPurchase } from '../../support/stores/contract-purchases.ts'

const email = parseEmail('ada@example.com')

async function open() {
  const ports = fakePorts()
  await saveVerification(ports, newVerification(email, { lifetimeMs: MINUTE_MS, now: NOON }))
  const { sessionId } = await startCheckout(ports, { email, language: 'en' })
  ports.payments.calls.length = 0
  const paymentIntentId = `pi_${(await ports.purchases.findBySessionId(sessionId))!.id}`
  return { ports, sessionId, paymentIntentId, status: () => checkPayment(ports, sessionId) }
}

describe('checkPayment', () => {
  test('settles a paid session on the way, so that a late notification costs the buyer nothing', async () => {
    const { ports, sessionId, status } = await open()
    ports.payments.move(sessionId, 'paid')
    expect(await status()).toBe('active')
    expect(await checkPremium(ports, email)).toBe(true)
  })

  test('does not ask the provider about what is known to be paid', async () => {
    const { ports, sessionId, status } = await open()
    ports.payments.move(sessionId, 'paid')
    await status()
    ports.payments.outage = true
    ports.payments.calls.length = 0
    expect(await status()).toBe('active')
    expect(ports.payments.calls).toEqual([])
  })

  test.each([
    ['open', 'processing'],
    ['processing', 'processing'],
    ['expired', 'unpaid'],
    ['failed', 'unpaid'],
  ] as const)('calls a session that is %s %s, and gives no premium', async (outcome, expected) => {
    const { ports, sessionId, status } = await open()
    ports.payments.move(sessionId, outcome)
    expect(await status()).toBe(expected)
    expect(await checkPremium(ports, email)).toBe(false)
  })

  test('follows a payment that takes its time', async () => {
    const { ports, sessionId, status } = await open()
    ports.payments.move(sessionId, 'processing')
    expect(await status()).toBe('processing')
    ports.payments.move(sessionId, 'paid')
    expect(await status()).toBe('active')
  })

  test('calls a payment that is put aside for review processing, and gives no premium', async () => {
    const { ports, sessionId, status } = await open()
    const report = ports.payments.move(sessionId, 'paid')
    ports.payments.sessions.set(sessionId, { ...report, currency: 'usd' })
    expect(await status()).toBe('processing')
    expect(await checkPremium(ports, email)).toBe(false)
  })

  test('calls a payment ended once its money was given back, and not while only a part was', async () => {
    const { ports, sessionId, paymentIntentId, status } = await open()
    ports.payments.move(sessionId, 'paid')
    await status()
    const part = { id: 're_1', paymentIntentId, amount: 399, state: 'succeeded' } as const
    await ports.refunds.update([part], ORIGIN, () => part)
    expect(await status()).toBe('active')
    const rest = { id: 're_2', paymentIntentId, amount: 1, state: 'succeeded' } as const
    await ports.refunds.update([rest], ORIGIN, () => rest)
    expect(await status()).toBe('ended')
  })

  test('calls a payment ended that was refunded before it was known to be paid, and active once the refund bounced', async () => {
    const { ports, sessionId, paymentIntentId, status } = await open()
    const refund = { id: 're_1', paymentIntentId, amount: 400, state: 'pending' } as const
    await ports.refunds.update([refund], ORIGIN, () => refund)
    ports.payments.move(sessionId, 'paid')
    expect(await status()).toBe('ended')
    await ports.refunds.update([refund], ORIGIN, () => ({ ...refund, state: 'failed' }))
    expect(await status()).toBe('active')
  })

  test.each([
    ['inquiry', 'active'],
    ['open', 'ended'],
    ['lost', 'ended'],
    ['won', 'active'],
  ] as const)('calls a payment whose dispute is %s %s', async (state, expected) => {
    const { ports, sessionId, paymentIntentId, status } = await open()
    ports.payments.move(sessionId, 'paid')
    await status()
    const dispute = { id: 'dp_1', paymentIntentId, state, reportedAt: NOON }
    await ports.disputes.update([dispute], ORIGIN, () => dispute)
    expect(await status()).toBe(expected)
  })

  test('calls a payment ended once an operator took back its access', async () => {
    const { ports, sessionId, status } = await open()
    ports.payments.move(sessionId, 'paid')
    await status()
    await ports.premiumGrants.revokeAll(email, ORIGIN)
    expect(await status()).toBe('ended')
  })

  test('calls no payment ended while the address has access by an operator’s word', async () => {
    const { ports, sessionId, status } = await open()
    ports.payments.move(sessionId, 'paid')
    await status()
    await ports.premiumGrants.revokeAll(email, ORIGIN)
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    expect(await status()).toBe('active')
  })

  test('calls a second payment that was given back active while the first one gives access, and no longer', async () => {
    const { ports, sessionId, paymentIntentId, status } = await open()
    ports.payments.move(sessionId, 'paid')
    await status()
    const refund = { id: 're_2', paymentIntentId, amount: 400, state: 'succeeded' } as const
    await ports.refunds.update([refund], ORIGIN, () => refund)
    const first = paidPurchase('first', { email })
    await ports.purchases.update(email, ORIGIN, () => ({ purchase: first }))
    expect(await status()).toBe('active')
    const back = { ...refund, id: 're_1', paymentIntentId: 'pi_first' }
    await ports.refunds.update([back], ORIGIN, () => back)
    expect(await status()).toBe('ended')
  })

  test('calls a payment that was put aside for review ended once its money was given back, and active once an operator gave access', async () => {
    const { ports, sessionId, paymentIntentId, status } = await open()
    const report = ports.payments.move(sessionId, 'paid')
    ports.payments.sessions.set(sessionId, { ...report, currency: 'usd' })
    await status()
    const refund = { id: 're_1', paymentIntentId, amount: 400, state: 'succeeded' } as const
    await ports.refunds.update([refund], ORIGIN, () => refund)
    expect(await status()).toBe('ended')
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    expect(await status()).toBe('active')
  })

  test('calls a payment active whatever became of other grants', async () => {
    const { ports, sessionId, status } = await open()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    await ports.premiumGrants.revokeAll(email, ORIGIN)
    ports.payments.move(sessionId, 'paid')
    expect(await status()).toBe('active')
  })

  test('knows no session of another service, not even a paid one', async () => {
    const { ports, sessionId } = await open()
    const report = ports.payments.move(sessionId, 'paid')
    ports.payments.sessions.set('cs_foreign', { ...report, sessionId: 'cs_foreign' })
    expect(await checkPayment(ports, 'cs_foreign')).toBe('unknown')
    expect(await checkPremium(ports, email)).toBe(false)
  })

  test('knows no session that the provider has forgotten', async () => {
    const { ports, status } = await open()
    ports.payments.sessions.clear()
    expect(await status()).toBe('unknown')
  })

  test('is an outage while the provider is out of reach, and changes nothing', async () => {
    const { ports, sessionId, status } = await open()
    const before = await ports.purchases.findBySessionId(sessionId)
    ports.payments.outage = true
    await expect(status()).rejects.toBeInstanceOf(Unavailable)
    expect(await ports.purchases.findBySessionId(sessionId)).toEqual(before)
  })
})

test('asks again about a payment that was put aside for review', async () => {
  const { ports, sessionId, status } = await open()
  const report = ports.payments.move(sessionId, 'paid')
  ports.payments.sessions.set(sessionId, { ...report, currency: 'usd' })
  expect(await status()).toBe('processing')
  ports.payments.sessions.set(sessionId, report)
  expect(await status()).toBe('active')
})
test('names the page as the one that settled it', async () => {
  const { ports, sessionId, status } = await open()
  ports.payments.move(sessionId, 'paid')
  await status()
  expect(ports.log.lines).toContainEqual(
    expect.objectContaining({
      event: 'purchase.changed',
      fields: expect.objectContaining({ state: 'paid', by: 'page' }),
    }),
  )
})
