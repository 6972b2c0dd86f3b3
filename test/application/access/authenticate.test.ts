import { describe, expect, test } from 'bun:test'
import { authenticate } from '../../../application/access/authenticate.ts'
import { requirePremium } from '../../../application/access/check-premium.ts'
import { logOut } from '../../../application/access/log-out.ts'
import { DAY_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { fakePorts, issueToken, ORIGIN } from '../../support/fakes.ts'

const email = parseEmail('ada@example.com')
const refused = new DomainError('invalid_token')

describe('authenticate', () => {
  test('turns a token back into its address', async () => {
    const ports = fakePorts()
    expect(await authenticate(ports, await issueToken(ports, email))).toBe(email)
  })

  test('refuses what is no token of ours', async () => {
    const ports = fakePorts({ tokens: { ...fakePorts().tokens, verify: async () => null } })
    await expect(authenticate(ports, 'anything')).rejects.toEqual(refused)
  })

  test('judges a token by the clock', async () => {
    const ports = fakePorts()
    const token = await issueToken(ports, email)
    ports.clock.advance(DAY_MS - 1)
    expect(await authenticate(ports, token)).toBe(email)
    ports.clock.advance(1)
    await expect(authenticate(ports, token)).rejects.toEqual(refused)
  })

  test('refuses a token once the address has logged out everywhere', async () => {
    const ports = fakePorts()
    const token = await issueToken(ports, email)
    await logOut(ports, email)
    await expect(authenticate(ports, token)).rejects.toEqual(refused)
  })

  test('asks for no premium', async () => {
    const ports = fakePorts()
    expect(await authenticate(ports, await issueToken(ports, email))).toBe(email)
    await expect(requirePremium(ports, email)).rejects.toEqual(new DomainError('premium_required'))
  })
})

describe('requirePremium', () => {
  test('lets an address with premium pass, and stops it the moment it is revoked', async () => {
    const ports = fakePorts()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    await requirePremium(ports, email)
    await ports.premiumGrants.revokeAll(email, ORIGIN)
    await expect(requirePremium(ports, email)).rejects.toEqual(new DomainError('premium_required'))
  })
})
