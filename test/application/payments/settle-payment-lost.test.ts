import { describe, expect, test } from 'bun:test'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { revokePremium } from '../../../application/customers/revoke-premium.ts'
import { checkPayment } from '../../../application/payments/check-payment.ts'
import { settlePayment, settleSession } from '../../../application/payments/settle-payment.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { openBuyer } from '../../support/buyers.ts'
import { memoryStore } from '../../support/stores/memory-store.ts'

/** A buyer whose purchase the database has forgotten. */
async function openLost() {
  const buyer = await openBuyer()
  const ports = { ...buyer.ports, ...memoryStore() }
  const premium = () => checkPremium(ports, buyer.email)
  return { ...buyer, ports, premium }
}

describe('a purchase whose row was lost', () => {
  test('is restored by a late webhook, for the buyer, with all that was ordered', async () => {
    const lost = await openLost()
    const { seal: _, ...order } = lost.ports.payments.sessions.get(lost.sessionId)!.order!
    lost.move('paid')
    expect(await settlePayment(lost.ports, lost.notification(), 'webhook')).toBe(true)
    expect(await lost.ports.purchases.findById(lost.purchaseId)).toMatchObject({
      ...order,
      state: 'paid',
      sessionId: lost.sessionId,
      paymentIntentId: lost.paymentIntentId,
    })
    expect(await lost.premium()).toBe(true)
    expect(lost.ports.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', event: 'purchase.restored' }),
    )
    expect(await settlePayment(lost.ports, lost.notification(), 'webhook')).toBe(false)
  })

  test('is restored by the success page', async () => {
    const { ports, move, sessionId, premium } = await openLost()
    move('paid')
    expect(await checkPayment(ports, sessionId)).toBe('active')
    expect(await premium()).toBe(true)
  })

  test('is restored while its money is on its way', async () => {
    const { ports, move, sessionId, purchaseId } = await openLost()
    move('processing')
    expect(await checkPayment(ports, sessionId)).toBe('processing')
    expect(await ports.purchases.findById(purchaseId)).toMatchObject({ state: 'processing' })
  })

  test.each(['open', 'expired', 'failed'] as const)(
    'is not restored where no buyer paid: %s',
    async (outcome) => {
      const { ports, move, purchaseId } = await openLost()
      expect(await settleSession(ports, move(outcome), 'page')).toBeNull()
      expect(await ports.purchases.findById(purchaseId)).toBeNull()
    },
  )

  test('gives no premium, and no mail, when its money has been given back since', async () => {
    const { ports, move, paymentIntentId, purchaseId, premium } = await openLost()
    const report = move('paid')
    ports.payments.refunds.push({
      id: 're_1',
      paymentIntentId,
      amount: 400,
      state: 'succeeded',
    })
    await settleSession(ports, report, 'webhook')
    expect(await premium()).toBe(false)
    expect(await ports.outbox.findByPurchase(purchaseId)).toEqual([])
  })

  test('gives none before it is known what has been given back', async () => {
    const { ports, move, purchaseId, premium } = await openLost()
    const report = move('paid')
    ports.payments.listRefunds = async () => {
      throw new Unavailable('payment', { cause: new Error('down') })
    }
    await expect(settleSession(ports, report, 'webhook')).rejects.toThrow('payment unavailable')
    expect(await ports.purchases.findById(purchaseId)).toBeNull()
    expect(await premium()).toBe(false)
  })

  test('is looked at by an operator where it is not what was ordered', async () => {
    const { ports, move, purchaseId, premium } = await openLost()
    const report = { ...move('paid'), amountSubtotal: 1, amountTotal: 1 }
    await settleSession(ports, report, 'reconciler')
    expect(await ports.purchases.findById(purchaseId)).toMatchObject({ state: 'review' })
    expect(await premium()).toBe(false)
  })

  test('is not restored where it is of another mode than the key', async () => {
    const { ports, move, purchaseId, premium } = await openLost()
    expect(await settleSession(ports, { ...move('paid'), live: true }, 'webhook')).toBeNull()
    expect(await ports.purchases.findById(purchaseId)).toBeNull()
    expect(await premium()).toBe(false)
  })

  test('is not ours where the session is another service’s', async () => {
    const { ports, move, sessionId, premium } = await openLost()
    ports.payments.sessions.set(sessionId, { ...move('paid'), order: null })
    expect(await checkPayment(ports, sessionId)).toBe('unknown')
    expect(await premium()).toBe(false)
  })

  test('is restored once, however many tell of it at the same moment', async () => {
    const { ports, move, sessionId, email } = await openLost()
    const report = move('paid')
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        index % 2 ? checkPayment(ports, sessionId) : settleSession(ports, report, 'webhook'),
      ),
    )
    const { purchases, grants } = await ports.purchases.findAccount(email)
    expect([purchases.length, grants.length]).toEqual([1, 1])
    expect(await ports.auditTrail.findByEmail(email)).toHaveLength(1)
  })

  test('stays revoked where an operator was faster than the second who tells of it', async () => {
    const { ports, move, email, premium } = await openLost()
    const report = move('paid')
    const { update } = ports.purchases
    ports.purchases.update = async (...request) => {
      ports.purchases.update = update
      await settleSession(ports, report, 'webhook')
      await revokePremium(ports, email)
      return update(...request)
    }
    expect(await settleSession(ports, report, 'page')).toMatchObject({ isStateChange: false })
    expect(await premium()).toBe(false)
  })
})
