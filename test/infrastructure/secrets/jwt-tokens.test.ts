import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { HOUR_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import { type Epoch, FIRST_EPOCH } from '../../../domain/log-out.ts'
import { isTokenAlive } from '../../../domain/token.ts'
import { jwtTokens } from '../../../infrastructure/secrets/jwt-tokens.ts'

const SECRET = 'a secret of more than thirty-two bytes'
const OLD_SECRET = 'an old secret of more than thirty-two bytes'
const ISSUER = 'https://alibi.example.com'
const ANNA = 'anna@example.com' as Email
const NOON = new Date('2026-03-01T12:00:00.250Z')
const EPOCH = 1_700_000_000_001 as Epoch

const SETTINGS = { secret: SECRET, previousSecret: null, issuer: ISSUER, lifetimeMs: HOUR_MS }
const tokens = jwtTokens(SETTINGS)

/** Issues a token at the moment. */
const issue = (now: Date, { email = ANNA, by = tokens } = {}) =>
  by.issue(email, { now, epoch: EPOCH })

/** What the token says, where it lets its address in at the moment. */
async function accept(token: string, now: Date, by = tokens) {
  const claims = await by.verify(token)
  return claims && isTokenAlive(claims, now) ? claims : null
}

const later = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (segment = '') => JSON.parse(Buffer.from(segment, 'base64url').toString())

/** Signs whatever it is given: what an attacker with some key, or none, could send. */
function forge(
  claims: unknown,
  { header = { alg: 'HS256', typ: 'JWT' } as unknown, secret = SECRET, hash = 'sha256' } = {},
): string {
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`
}

/** What a token of Anna's, handed out at noon, says. */
const ANNAS = {
  email: ANNA,
  issuedAt: new Date('2026-03-01T12:00:00Z'),
  expiresAt: new Date('2026-03-01T13:00:00Z'),
  epoch: EPOCH,
}

const CLAIMS = {
  sub: ANNA,
  email: ANNA,
  iss: ISSUER,
  iat: Math.floor(NOON.getTime() / 1000),
  exp: Math.floor(later(HOUR_MS).getTime() / 1000),
  jti: '018bcfe5-6801-8abc-8123-0123456789ab',
}

describe('a token of ours', () => {
  test('tells the address, the epoch and the second of its issue', async () => {
    const token = await issue(NOON)
    expect(await accept(token, NOON)).toEqual(ANNAS)
  })

  test('is HS256 with exactly the promised claims', async () => {
    const [header, claims] = (await issue(NOON)).split('.')
    expect(decode(header)).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(decode(claims)).toEqual({ ...CLAIMS, jti: expect.any(String) })
  })

  test('has the epoch exactly, however many are of one epoch', async () => {
    for (const epoch of [FIRST_EPOCH, 1 as Epoch, EPOCH, (2 ** 48 - 1) as Epoch]) {
      const token = await tokens.issue(ANNA, { now: NOON, epoch })
      expect(await accept(token, NOON)).toMatchObject({ epoch })
    }
    for (let count = 0; count < 5000; count++) {
      if ((await accept(await issue(NOON), NOON))?.epoch !== EPOCH) throw new Error('another epoch')
    }
  })

  test('of an earlier release has the millisecond of its issue for an epoch', async () => {
    const token = forge({ ...CLAIMS, jti: Bun.randomUUIDv7('hex', NOON) })
    expect(await accept(token, NOON)).toEqual({ ...ANNAS, epoch: NOON.getTime() as Epoch })
  })

  test('differs from every other, also of the same address and moment', async () => {
    expect(await issue(NOON)).not.toBe(await issue(NOON))
  })

  test('lives for its lifetime, counted like its iat in whole seconds', async () => {
    const token = await issue(NOON)
    expect(await accept(token, later(HOUR_MS - 1000))).not.toBeNull()
    expect(await accept(token, later(HOUR_MS))).toBeNull()
  })

  test('expires also when it was checked before, and counts again when the clock is set back', async () => {
    const token = await issue(NOON)
    const counts = async (now: Date) => (await accept(token, now)) !== null
    expect(await counts(NOON)).toBe(true)
    expect(await counts(later(HOUR_MS))).toBe(false)
    expect(await counts(NOON)).toBe(true)
  })

  test('counts however many others were checked since', async () => {
    const token = await issue(NOON)
    await accept(token, NOON)
    for (let others = 0; others < 2000; others++) {
      await accept(await issue(NOON), NOON)
    }
    expect(await accept(token, NOON)).toEqual(ANNAS)
  })

  test('is remembered without the header in which it came', async () => {
    const all = await Promise.all(Array.from({ length: 400 }, () => issue(NOON)))
    const before = heapBytes()
    for (const token of all) {
      const header = `Bearer${' '.repeat(100_000)}${token}`
      expect(await tokens.verify(header.slice(header.lastIndexOf(' ') + 1))).not.toBeNull()
    }
    expect(heapBytes() - before).toBeLessThan(10_000_000)
  })

  test('counts by the clock that is asked, not by the machine', async () => {
    const token = await issue(new Date('2001-01-01T00:00:00Z'))
    expect(await accept(token, new Date('2001-01-01T00:30:00Z'))).not.toBeNull()
  })

  test('signed with the previous secret is still accepted, and none is signed with it any more', async () => {
    const rolled = jwtTokens({ ...SETTINGS, secret: SECRET, previousSecret: OLD_SECRET })
    const old = await issue(NOON, { by: jwtTokens({ ...SETTINGS, secret: OLD_SECRET }) })
    expect(await accept(old, NOON, rolled)).toEqual(ANNAS)
    expect(await accept(old, NOON)).toBeNull()
    expect(await accept(await issue(NOON, { by: rolled }), NOON)).not.toBeNull()
  })

  test('fits the longest address and issuer', async () => {
    const address =
      `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.co` as Email
    const far = jwtTokens({
      ...SETTINGS,
      issuer: `https://${'x'.repeat(60)}.${'y'.repeat(60)}.com`,
    })
    expect(await far.verify(await issue(NOON, { email: address, by: far }))).toMatchObject({
      email: address,
    })
  })
})

describe('a forged token', () => {
  test('would be accepted if it were made like ours, so that the refusals below mean something', async () => {
    expect(await accept(forge(CLAIMS), NOON)).toEqual(ANNAS)
  })

  const { exp: _, ...withoutExp } = CLAIMS
  const { jti: __, ...withoutJti } = CLAIMS
  const { iat: ___, ...withoutIat } = CLAIMS
  const { sub: ____, ...withoutSub } = CLAIMS
  const { email: _____, ...withoutEmail } = CLAIMS
  const { iss: ______, ...withoutIss } = CLAIMS
  const good = forge(CLAIMS)
  const [head, body, signature = ''] = good.split('.')
  const unsigned = (alg: string) => `${encode({ alg, typ: 'JWT' })}.${encode(CLAIMS)}.`

  test.each<[string, string]>([
    ['algorithm none, without a signature', unsigned('none')],
    ['algorithm None, without a signature', unsigned('None')],
    ['algorithm none, with our signature', forge(CLAIMS, { header: { alg: 'none', typ: 'JWT' } })],
    ['HS512', forge(CLAIMS, { header: { alg: 'HS512', typ: 'JWT' }, hash: 'sha512' })],
    ['HS512 in name only', forge(CLAIMS, { header: { alg: 'HS512', typ: 'JWT' } })],
    ['RS256 in name', forge(CLAIMS, { header: { alg: 'RS256', typ: 'JWT' } })],
    ['no algorithm', forge(CLAIMS, { header: { typ: 'JWT' } })],
    ['another type', forge(CLAIMS, { header: { alg: 'HS256', typ: 'at+jwt' } })],
    ['no type', forge(CLAIMS, { header: { alg: 'HS256' } })],
    [
      'a critical extension',
      forge(CLAIMS, { header: { alg: 'HS256', typ: 'JWT', crit: ['x'], x: 1 } }),
    ],
    [
      'a key of its own',
      forge(CLAIMS, {
        header: { alg: 'HS256', typ: 'JWT', jwk: { kty: 'oct', k: 'YQ' } },
        secret: 'a',
      }),
    ],
    ['another secret', forge(CLAIMS, { secret: OLD_SECRET })],
    ['an empty secret', forge(CLAIMS, { secret: '' })],
    ['another issuer', forge({ ...CLAIMS, iss: 'https://evil.example' })],
    ['several issuers', forge({ ...CLAIMS, iss: [ISSUER] })],
    ['no issuer', forge(withoutIss)],
    ['no exp', forge(withoutExp)],
    ['an exp that is text', forge({ ...CLAIMS, exp: String(CLAIMS.exp) })],
    ['an exp in the past', forge({ ...CLAIMS, exp: CLAIMS.iat - 1 })],
    ['an exp of this very second', forge({ ...CLAIMS, exp: CLAIMS.iat })],
    ['a start in the future', forge({ ...CLAIMS, nbf: CLAIMS.iat + 60 })],
    ['no iat', forge(withoutIat)],
    ['no jti', forge(withoutJti)],
    ['a jti that is random only', forge({ ...CLAIMS, jti: crypto.randomUUID() })],
    ['a jti that is a number', forge({ ...CLAIMS, jti: 7 })],
    ['no sub', forge(withoutSub)],
    ['no email', forge(withoutEmail)],
    ['a sub that is not the email', forge({ ...CLAIMS, sub: 'bert@example.com' })],
    [
      'an email that is not normalised',
      forge({ ...CLAIMS, sub: 'Anna@example.com', email: 'Anna@example.com' }),
    ],
    ['an email that is none', forge({ ...CLAIMS, sub: 'anna', email: 'anna' })],
    ['an email that is a list', forge({ ...CLAIMS, sub: [ANNA], email: [ANNA] })],
    ['an email that is a number', forge({ ...CLAIMS, sub: 1, email: 1 })],
    ['claims that are null', forge(null)],
    ['claims that are a list', forge([CLAIMS])],
    ['claims that are text', forge('claims')],
    ['over 4 KiB', forge({ ...CLAIMS, padding: 'x'.repeat(4096) })],
    ['the empty one', ''],
    ['dots alone', '..'],
    ['without its signature', `${head}.${body}.`],
    ['without its last character', good.slice(0, -1)],
    ['without its header', `${body}.${signature}`],
    ['a fourth segment', `${good}.${signature}`],
    ['an empty fourth segment', `${good}.`],
    ['white space around', ` ${good} `],
    ['a line break at the end', `${good}\n`],
    [
      'white space within the signature',
      `${head}.${body}.${signature.slice(0, 9)} ${signature.slice(9)}`,
    ],
    ['padding', `${good}=`],
    ['spare bits set in its last character', sparelySpelt(good)],
    [
      'other claims under our signature',
      `${head}.${encode({ ...CLAIMS, sub: 'b@example.com', email: 'b@example.com' })}.${signature}`,
    ],
    ['the Bearer scheme still in front', `Bearer ${good}`],
    ['characters that are no base64url', good.replaceAll('e', 'é')],
  ])('%s is refused', async (_, token) => {
    const rolling = jwtTokens({
      ...SETTINGS,
      previousSecret: 'yet another secret, long enough to be one',
    })
    expect(await accept(token, NOON)).toBeNull()
    expect(await accept(token, NOON, rolling)).toBeNull()
  })

  test('with any single character changed is refused', async () => {
    for (let index = 0; index < good.length; index++) {
      const changed =
        good.slice(0, index) + (good[index] === 'A' ? 'B' : 'A') + good.slice(index + 1)
      if (await tokens.verify(changed)) throw new Error(`character ${index} does not count`)
    }
  })
})

function heapBytes(): number {
  Bun.gc(true)
  return heapStats().heapSize
}

/** The same bytes, spelt with the two bits that the last character has to spare. */
function sparelySpelt(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1) ?? '') + 1]
}
