import { describe, expect, test } from 'bun:test'
import { checkPayment } from '../../application/check-payment.ts'
import { checkPremium } from '../../application/check-premium.ts'
import { startCheckout } from '../../application/start-checkout.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { parseEmail } from '../../domain/email.ts'
import { verifyEmail } from '../../domain/verification.ts'
import { CAUSE, fakePorts, NOON, saveVerification } from '../fakes.ts'

const email = parseEmail('ada@example.com')

async function open() {
  const ports = fakePorts()
  await saveVerification(ports, verifyEmail(email, { lifetimeMs: 60_000, now: NOON }))
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

  test('calls a payment unpaid once its money was given back', async () => {
    const { ports, sessionId, paymentIntentId, status } = await open()
    ports.payments.move(sessionId, 'paid')
    await status()
    const refund = { id: 're_1', paymentIntentId, amount: 400, state: 'succeeded' } as const
    await ports.refunds.update([refund], CAUSE, () => refund)
    expect(await status()).toBe('unpaid')
  })

  test('calls a payment unpaid that was refunded before it was known to be paid', async () => {
    const { ports, sessionId, paymentIntentId, status } = await open()
    const refund = { id: 're_1', paymentIntentId, amount: 400, state: 'pending' } as const
    await ports.refunds.update([refund], CAUSE, () => refund)
    ports.payments.move(sessionId, 'paid')
    expect(await status()).toBe('unpaid')
  })

  test('speaks of this payment, not of other reasons for premium', async () => {
    const { ports, sessionId, status } = await open()
    ports.payments.move(sessionId, 'paid')
    await status()
    await ports.premiumGrants.revokeAll(email, CAUSE)
    await ports.premiumGrants.add({ id: 'grant_1', email }, CAUSE)
    expect(await status()).toBe('unpaid')
  })

  test('calls a payment active whatever became of other grants', async () => {
    const { ports, sessionId, status } = await open()
    await ports.premiumGrants.add({ id: 'grant_1', email }, CAUSE)
    await ports.premiumGrants.revokeAll(email, CAUSE)
    ports.payments.move(sessionId, 'paid')
    expect(await status()).toBe('active')
  })

  test('knows no session of somebody else, whatever the provider says about it', async () => {
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
