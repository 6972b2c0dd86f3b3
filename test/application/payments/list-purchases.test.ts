import { expect, test } from 'bun:test'
import { listPurchases } from '../../../application/payments/list-purchases.ts'
import { fakePorts, inState, ORIGIN } from '../../support/fakes.ts'
import { ANNA, openPurchase, paidPurchase } from '../../support/stores/contract-purchases.ts'

const idsOf = async (ports: ReturnType<typeof fakePorts>, onlyReview: boolean) =>
  (await Array.fromAsync(listPurchases(ports, { onlyReview }))).map(({ id }) => String(id))

test('shows all of them, however many pages that takes, oldest first', async () => {
  const ports = fakePorts()
  const names = Array.from({ length: 450 }, (_, index) => `pur_${String(index).padStart(4, '0')}`)
  for (const name of names) {
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase(name) }))
  }
  expect(await idsOf(ports, false)).toEqual(names)
  expect(await idsOf(ports, true)).toEqual([])
})

test('shows for review those whose money is still here', async () => {
  const ports = fakePorts()
  for (const name of ['pur_a', 'pur_b']) {
    const seen = openPurchase(name, { sessionId: `cs_${name}`, paymentIntentId: `pi_${name}` })
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase: inState(seen, 'review') }))
  }
  expect(await idsOf(ports, true)).toEqual(['pur_a', 'pur_b'])
  const refund = { id: 're_1', paymentIntentId: 'pi_pur_a', amount: 400, state: 'pending' } as const
  await ports.refunds.update([refund], ORIGIN, () => refund)
  expect(await idsOf(ports, true)).toEqual(['pur_b'])
  expect(await idsOf(ports, false)).toEqual(['pur_a', 'pur_b'])
})
