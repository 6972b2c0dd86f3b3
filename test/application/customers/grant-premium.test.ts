import { expect, test } from 'bun:test'
import { grantPremium } from '../../../application/customers/grant-premium.ts'
import { revokePremium } from '../../../application/customers/revoke-premium.ts'
import { hasPremium } from '../../../domain/premium-grant.ts'
import { fakePorts, ORIGIN } from '../../support/fakes.ts'
import { ANNA, BERT, paidPurchase } from '../../support/stores/contract-purchases.ts'

test('an address has premium by the operator’s word, and no other address has', async () => {
  const ports = fakePorts()
  expect(await grantPremium(ports, ANNA)).toBe(true)
  expect(hasPremium(await ports.premiumGrants.findByEmail(ANNA))).toBe(true)
  expect(await ports.premiumGrants.findByEmail(BERT)).toEqual([])
  expect(await ports.auditTrail.findByEmail(ANNA)).toMatchObject([
    { by: 'operator', reason: 'granted', isActive: true, at: ports.clock.now() },
  ])
})

test('a second word adds nothing', async () => {
  const ports = fakePorts()
  await grantPremium(ports, ANNA)
  expect(await grantPremium(ports, ANNA)).toBe(false)
  expect(await ports.premiumGrants.findByEmail(ANNA)).toHaveLength(1)
})

test('a word is added where a payment gives premium, since the payment may be taken back', async () => {
  const ports = fakePorts()
  await ports.purchases.update(ANNA, ORIGIN, () => ({ purchase: paidPurchase('pur_one') }))
  expect(await grantPremium(ports, ANNA)).toBe(true)
  expect(await ports.premiumGrants.findByEmail(ANNA)).toHaveLength(2)
})

test('a word after a revocation is a new grant', async () => {
  const ports = fakePorts()
  await grantPremium(ports, ANNA)
  await revokePremium(ports, ANNA)
  expect(await grantPremium(ports, ANNA)).toBe(true)
  expect(hasPremium(await ports.premiumGrants.findByEmail(ANNA))).toBe(true)
})
