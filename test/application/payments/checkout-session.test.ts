import { expect, test } from 'bun:test'
import {
  closeUnconfirmed,
  createSession,
  reopenSession,
} from '../../../application/payments/checkout-session.ts'
import type { Purchase } from '../../../domain/purchase.ts'
import { fakePorts, ORIGIN } from '../../support/fakes.ts'
import { ANNA, openPurchase } from '../../support/stores/contract-purchases.ts'

async function withPurchase(purchase: Purchase) {
  const ports = fakePorts()
  await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
  const stateOf = async () => (await ports.purchases.findById(purchase.id))?.state
  return { ports, stateOf }
}

test('a purchase without a session is closed, and one with a session stays open', async () => {
  const unconfirmed = openPurchase('one')
  const first = await withPurchase(unconfirmed)
  await closeUnconfirmed(first.ports, unconfirmed)
  expect(await first.stateOf()).toBe('closed')

  const second = await withPurchase({ ...unconfirmed, sessionId: 'cs_one' })
  await closeUnconfirmed(second.ports, unconfirmed)
  expect(await second.stateOf()).toBe('open')
})

test('a new session is handed out while the purchase is open, and expired once it is closed', async () => {
  const purchase = openPurchase('one')
  const { ports, stateOf } = await withPurchase(purchase)
  const session = await createSession(ports, purchase, purchase.price)
  expect((await ports.payments.readSession(session!.sessionId))?.outcome).toBe('open')

  const late = await withPurchase({ ...purchase, state: 'closed' })
  expect(await createSession(late.ports, purchase, purchase.price)).toBeNull()
  const outcomes = [...late.ports.payments.sessions.values()].map(({ outcome }) => outcome)
  expect(outcomes).toEqual(['expired'])
  expect(await stateOf()).toBe('open')
  expect(await late.stateOf()).toBe('closed')
})

test('a session that the provider does not know closes its purchase', async () => {
  const purchase = { ...openPurchase('one'), sessionId: 'cs_gone' }
  const { ports, stateOf } = await withPurchase(purchase)
  expect(await reopenSession(ports, purchase, purchase.price)).toBeNull()
  expect(await stateOf()).toBe('closed')
})
