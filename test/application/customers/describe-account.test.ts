import { expect, test } from 'bun:test'
import { describeAccount } from '../../../application/customers/describe-account.ts'
import { fakePorts, ORIGIN } from '../../support/fakes.ts'
import { ANNA, BERT, paidPurchase, REFUND } from '../../support/stores/contract-purchases.ts'

test('shows purchases, grants, refunds and what became of them', async () => {
  const ports = fakePorts()
  await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase('one') }))
  await ports.refunds.update([REFUND], ORIGIN, () => REFUND)

  const account = await describeAccount(ports, ANNA)
  expect(account).toMatchObject({
    email: ANNA,
    hasPremium: true,
    purchases: [{ state: 'paid' }],
    grants: [{ payment: { amountPaid: 400 } }],
    refunds: [REFUND],
  })
  expect(account.audit.map(({ reason, objectId }) => [reason, objectId])).toEqual([
    ['paid', 'one'],
    ['refund_pending', 're_1'],
  ])
})

test('knows nothing of a stranger', async () => {
  expect(await describeAccount(fakePorts(), BERT)).toEqual({
    email: BERT,
    hasPremium: false,
    purchases: [],
    grants: [],
    refunds: [],
    disputes: [],
    audit: [],
  })
})
