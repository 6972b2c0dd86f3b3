import { expect, test } from 'bun:test'
import { checkPremium } from '../../../application/access/check-premium.ts'
import { parseEmail } from '../../../domain/email.ts'
import { fakePorts, ORIGIN } from '../../support/fakes.ts'

const email = parseEmail('ada@example.com')

test('an unknown address has no premium', async () => {
  expect(await checkPremium(fakePorts(), email)).toBe(false)
})

test('an address has premium from its grant to its revocation, and no other address gets it', async () => {
  const ports = fakePorts()
  await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
  expect(await checkPremium(ports, email)).toBe(true)
  expect(await checkPremium(ports, parseEmail('bob@example.com'))).toBe(false)

  await ports.premiumGrants.revokeAll(email, ORIGIN)
  expect(await checkPremium(ports, email)).toBe(false)

  await ports.premiumGrants.add({ id: 'grant_2', email }, ORIGIN)
  expect(await checkPremium(ports, email)).toBe(true)
})
