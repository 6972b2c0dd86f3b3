import { expect, test } from 'bun:test'
import { grantPremium } from '../../../application/customers/grant-premium.ts'
import { revokePremium } from '../../../application/customers/revoke-premium.ts'
import { hasPremium } from '../../../domain/premium-grant.ts'
import { fakePorts, ORIGIN } from '../../support/fakes.ts'
import { ANNA, BERT, paidPurchase } from '../../support/stores/contract-purchases.ts'

test('every grant of the address ends, bought or given, and no other address’s', async () => {
  const ports = fakePorts()
  await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase('pur_one') }))
  await grantPremium(ports, ANNA)
  await grantPremium(ports, BERT)

  expect(await revokePremium(ports, ANNA)).toBe(2)
  expect(hasPremium(await ports.premiumGrants.findByEmail(ANNA))).toBe(false)
  expect(hasPremium(await ports.premiumGrants.findByEmail(BERT))).toBe(true)
  const revoked = (await ports.auditTrail.findByEmail(ANNA)).slice(2)
  expect(revoked).toHaveLength(2)
  for (const entry of revoked) {
    expect(entry).toMatchObject({ by: 'operator', reason: 'revoked', isActive: false })
  }
})

test('there is nothing to revoke twice', async () => {
  const ports = fakePorts()
  await grantPremium(ports, ANNA)
  await revokePremium(ports, ANNA)
  expect(await revokePremium(ports, ANNA)).toBe(0)
  expect(await revokePremium(ports, BERT)).toBe(0)
})
