import { expect, test } from 'bun:test'
import { listGrants } from '../../../application/customers/list-grants.ts'
import type { DatedGrant } from '../../../application/store.ts'
import { fakePorts, NOON, ORIGIN } from '../../support/fakes.ts'
import { ANNA, paidPurchase } from '../../support/stores/contract-purchases.ts'

test('all grants come, oldest first, however many pages they fill', async () => {
  const ports = fakePorts()
  for (let number = 0; number < 401; number++) {
    const paidAt = new Date(NOON.getTime() + 401 - number)
    const purchase = paidPurchase(`pur_${1000 + number}`, { paidAt })
    await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase }))
  }
  await ports.premiumGrants.add({ id: 'grant_1', email: ANNA }, ORIGIN)

  const ids = (await Array.fromAsync(listGrants(ports))).map(({ id }) => id)
  const bought = Array.from({ length: 401 }, (_, number) => `pur_${1400 - number}`)
  expect(ids).toEqual(['grant_1', ...bought])
})

test('a page is read only once the one before it is used up', async () => {
  const { premiumGrants } = fakePorts()
  const asked: (string | null)[] = []
  const list: typeof premiumGrants.list = async ({ after, limit }) => {
    asked.push(after?.id ?? null)
    return Array.from({ length: limit }, (_, number): DatedGrant => {
      const id = `${asked.length}.${number}`
      return { id, email: ANNA, payment: null, revokedAt: null, since: NOON }
    })
  }
  for await (const { id } of listGrants({ premiumGrants: { ...premiumGrants, list } })) {
    if (id === '1.199') expect(asked).toEqual([null])
    if (id === '2.0') break
  }
  expect(asked).toEqual([null, '1.199'])
})
