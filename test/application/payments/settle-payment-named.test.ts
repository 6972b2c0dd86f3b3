import { describe, expect, test } from 'bun:test'
import { settleSession } from '../../../application/payments/settle-payment.ts'
import { parseEmail } from '../../../domain/email.ts'
import { openBuyer } from '../../support/buyers.ts'
import { ORIGIN } from '../../support/fakes.ts'

// A session belongs to one purchase, whatever purchase a report of it names.

const BOB = parseEmail('bob@example.com')

/** A buyer, and another one whose purchase has a session of its own or none yet. */
async function openTwo({ hasSession }: { hasSession: boolean }) {
  const buyer = await openBuyer()
  const other = await openBuyer({ ports: buyer.ports, email: BOB })
  if (!hasSession) {
    const purchase = { ...(await other.current()), sessionId: null }
    await buyer.ports.purchases.update(BOB, ORIGIN, () => ({ purchase }))
  }
  return { buyer, other }
}

describe('a report that names another purchase', () => {
  test.each([
    ['with a session of its own', { hasSession: true }],
    ['without a session', { hasSession: false }],
  ])('%s settles the one whose session it is', async (_, state) => {
    const { buyer, other } = await openTwo(state)
    const untouched = await other.current()
    const report = { ...buyer.move('paid'), purchaseId: other.purchaseId }
    const settled = await settleSession(buyer.ports, report, 'webhook')
    expect(settled).toMatchObject({ purchase: { id: buyer.purchaseId }, isStateChange: true })
    expect(await buyer.current()).toMatchObject({ state: 'paid' })
    expect(await other.current()).toEqual(untouched)
  })

  test('or none settles the one whose session it is', async () => {
    const { ports, move, current } = await openBuyer()
    await settleSession(ports, { ...move('paid'), purchaseId: null }, 'webhook')
    expect(await current()).toMatchObject({ state: 'paid' })
  })
})
