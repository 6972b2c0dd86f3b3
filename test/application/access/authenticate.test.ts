import { describe, expect, test } from 'bun:test'
import { readToken, requireAlivePremium } from '../../../application/access/authenticate.ts'
import { requirePremium } from '../../../application/access/check-premium.ts'
import { logOut } from '../../../application/access/log-out.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { parseEmail } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { fakePorts, issueToken, ORIGIN } from '../../support/fakes.ts'
import { authenticate, findTokenHolder } from '../../support/token-readings.ts'

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

  test('refuses a token that was issued while the clock was ahead, until the clock gets there', async () => {
    const ports = fakePorts()
    ports.clock.advance(HOUR_MS)
    const token = await issueToken(ports, email)
    ports.clock.advance(-HOUR_MS)
    await expect(authenticate(ports, token)).rejects.toEqual(refused)
    ports.clock.advance(HOUR_MS - MINUTE_MS)
    expect(await authenticate(ports, token)).toBe(email)
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

describe('requireAlivePremium', () => {
  test('lets in who had premium when the token was read, and judges the token before premium', async () => {
    const ports = fakePorts()
    const token = await issueToken(ports, email)
    const premium = async () => requireAlivePremium(await readToken(ports, token))
    await expect(premium()).rejects.toEqual(new DomainError('premium_required'))
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    expect(await premium()).toBe(email)
    await ports.premiumGrants.revokeAll(email, ORIGIN)
    await expect(premium()).rejects.toEqual(new DomainError('premium_required'))

    await ports.premiumGrants.add({ id: 'grant_2', email }, ORIGIN)
    ports.clock.advance(DAY_MS)
    await expect(premium()).rejects.toEqual(refused)
    ports.clock.advance(-DAY_MS)
    await logOut(ports, email)
    await expect(premium()).rejects.toEqual(refused)
  })

  test('takes one reading of what is stored, for the token and for premium', async () => {
    const ports = fakePorts()
    await ports.premiumGrants.add({ id: 'grant_1', email }, ORIGIN)
    const token = await issueToken(ports, email)
    const { findByEmail } = ports.access
    let reads = 0
    ports.access.findByEmail = (...parameters) => {
      reads++
      return findByEmail(...parameters)
    }
    expect(requireAlivePremium(await readToken(ports, token))).toBe(email)
    expect(reads).toBe(1)
  })
})

describe('findTokenHolder', () => {
  test('knows the holder of a token for 90 days, alive or expired', async () => {
    const ports = fakePorts()
    const token = await issueToken(ports, email)
    expect(await findTokenHolder(ports, token)).toBe(email)
    ports.clock.advance(90 * DAY_MS)
    await expect(authenticate(ports, token)).rejects.toEqual(refused)
    expect(await findTokenHolder(ports, token)).toBe(email)
    ports.clock.advance(1)
    expect(await findTokenHolder(ports, token)).toBeNull()
  })

  test('knows the holder for as long as a token lives, where that is longer', async () => {
    const ports = fakePorts()
    Object.assign(ports.rules, { tokenLifetimeMs: 365 * DAY_MS })
    const token = await issueToken(ports, email)
    ports.clock.advance(365 * DAY_MS)
    expect(await findTokenHolder(ports, token)).toBe(email)
  })

  test('knows none once the address has logged out everywhere, until it logs in again', async () => {
    const ports = fakePorts()
    const token = await issueToken(ports, email)
    await logOut(ports, email)
    expect(await findTokenHolder(ports, token)).toBeNull()
    expect(await findTokenHolder(ports, await issueToken(ports, email))).toBe(email)
  })

  test('knows none of a token that was issued while the clock was ahead', async () => {
    const ports = fakePorts()
    ports.clock.advance(HOUR_MS)
    const token = await issueToken(ports, email)
    ports.clock.advance(-HOUR_MS)
    expect(await findTokenHolder(ports, token)).toBeNull()
    ports.clock.advance(HOUR_MS - MINUTE_MS)
    expect(await findTokenHolder(ports, token)).toBe(email)
  })

  test.each(['anything', '', 'a.b.c'])(
    'knows none of what is no token of ours: %p',
    async (token) => {
      expect(await findTokenHolder(fakePorts(), token)).toBeNull()
    },
  )

  test('throws when the database does not answer, as only that leaves the question open', async () => {
    const ports = fakePorts()
    const token = await issueToken(ports, email)
    const outage = new Unavailable('storage', { cause: new Error('gone') })
    ports.access.findByEmail = () => Promise.reject(outage)
    await expect(findTokenHolder(ports, token)).rejects.toBe(outage)
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
