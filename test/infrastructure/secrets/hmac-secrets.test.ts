import { describe, expect, test } from 'bun:test'
import { createHash, hkdfSync } from 'node:crypto'
import type { Email } from '../../../domain/email.ts'
import { isErased } from '../../../domain/erasure.ts'
import { mailboxOf } from '../../../domain/mailbox.ts'
import { type OtpSeed, parseOtpCode } from '../../../domain/otp.ts'
import { deriveKeys, hmacSecrets } from '../../../infrastructure/secrets/hmac-secrets.ts'
import { NOON } from '../../support/fakes.ts'
import { CHALLENGE, OTHER_CHALLENGE, OTHER_VERIFIER, VERIFIER } from '../../support/proof-key.ts'

const SECRET = 'a secret of more than thirty-two bytes'
const secrets = hmacSecrets({ secret: SECRET })
const ANNA = 'anna@example.com' as Email
const BERT = 'bert@example.com' as Email
const SEED = 'c2VlZHNlZWRzZWVkc2VlZA' as OtpSeed

/** A seed of the fixed set on which the statistics run, so that they give the same answer every time. */
function seed(number: number): OtpSeed {
  return createHash('md5').update(String(number)).digest('base64url') as OtpSeed
}

/** Pearson's statistic of counts that should all be equal. */
function chiSquared(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

describe('keys', () => {
  test.each(['a', 'a secret of more than thirty-two bytes', 'ö'.repeat(200)])(
    'are derived as RFC 5869 says, as by another implementation of it',
    (secret) => {
      const keys = deriveKeys({ secret, previousSecret: `${secret} of before` }, 'alibi/test/v1')
      const expected = [secret, `${secret} of before`].map((one) =>
        Buffer.from(hkdfSync('sha256', one, '', 'alibi/test/v1', 32)),
      )
      expect(keys as readonly Buffer[]).toEqual(expected)
    },
  )
})

describe('otp seeds', () => {
  test('are the name of the key and 16 random bytes', () => {
    const seeds = Array.from({ length: 1000 }, () => secrets.newOtpSeed())
    const parts = seeds.map((one) => one.split('.'))
    expect(new Set(parts.map(([name]) => name))).toEqual(new Set(['fTkwSYO-']))
    expect(new Set(parts.map(([, random]) => random)).size).toBe(1000)
    for (const one of seeds) expect(one).toMatch(/^[\w-]{8}\.[\w-]{22}$/)
  })

  test('name the key by nothing that another key is made of', () => {
    const [name = ''] = secrets.newOtpSeed().split('.')
    const expected = hkdfSync('sha256', SECRET, '', 'alibi/otp-key-name/v1', 6)
    expect(name).toBe(Buffer.from(expected).toString('base64url'))
    expect(hmacSecrets({ secret: 'another' }).newOtpSeed()).not.toStartWith(name)
  })
})

describe('otp codes', () => {
  test('are the same for the same key, address and seed, also after a restart', () => {
    const restarted = hmacSecrets({ secret: 'a secret of more than thirty-two bytes' })
    expect(restarted.deriveOtpCode(ANNA, SEED)).toBe(secrets.deriveOtpCode(ANNA, SEED))
  })

  test('stay the same from release to release, so that an update voids no code under way', () => {
    expect(secrets.deriveOtpCode(ANNA, SEED) as string).toBe('632886')
    expect(secrets.deriveOtpCode(ANNA, `fTkwSYO-.${SEED}` as OtpSeed) as string).toBe('082276')
  })

  test('are derived under the key that the seed names, today’s or the one before', () => {
    const next = hmacSecrets({ secret: 'the secret after it', previousSecret: SECRET })
    const named = secrets.newOtpSeed()
    expect(next.knowsKeyOf(named)).toBe(true)
    expect(next.deriveOtpCode(ANNA, named)).toBe(secrets.deriveOtpCode(ANNA, named))
    const early = hmacSecrets({ secret: SECRET, previousSecret: 'the secret after it' })
    const seeds = Array.from({ length: 50 }, () => next.newOtpSeed())
    expect(seeds.every(early.knowsKeyOf)).toBe(true)
    const codesOf = (of: typeof secrets) => seeds.map((one) => of.deriveOtpCode(ANNA, one))
    expect(codesOf(early)).toEqual(codesOf(next))
  })

  test('of a seed without a name are derived under today’s key, as before seeds had names', () => {
    const next = hmacSecrets({ secret: 'the secret after it', previousSecret: SECRET })
    const later = hmacSecrets({ secret: 'the secret after it' })
    expect(next.knowsKeyOf(SEED)).toBe(true)
    expect(next.deriveOtpCode(ANNA, SEED)).toBe(later.deriveOtpCode(ANNA, SEED))
    expect(next.deriveOtpCode(ANNA, SEED)).not.toBe(secrets.deriveOtpCode(ANNA, SEED))
  })

  test('of a seed that names another key are none that it has had, and no error', () => {
    const foreign = hmacSecrets({ secret: 'the secret of somebody else' })
    const seeds = Array.from({ length: 50 }, () => foreign.newOtpSeed())
    expect(seeds.some(secrets.knowsKeyOf)).toBe(false)
    const codesOf = (of: typeof secrets) => seeds.map((one) => of.deriveOtpCode(ANNA, one)).join()
    expect(codesOf(secrets)).not.toBe(codesOf(foreign))
    for (const odd of ['.', '', '..', 'fTkwSYO.', '.fTkwSYO-']) {
      expect(secrets.deriveOtpCode(ANNA, odd as OtpSeed)).toMatch(/^\d{6}$/)
    }
  })

  test('are six digits, leading zeros included', () => {
    const codes = Array.from({ length: 200 }, (_, index) =>
      secrets.deriveOtpCode(ANNA, seed(index)),
    )
    for (const code of codes) expect(parseOtpCode(code)).toBe(code)
    expect(codes.some((code) => code.startsWith('0'))).toBe(true)
  })

  test('depend on the address, the seed and the key', () => {
    const other = hmacSecrets({ secret: 'another secret of more than thirty-two bytes' })
    const seeds = Array.from({ length: 50 }, (_, index) => seed(index))
    const codesOf = (of: typeof secrets, email: Email) =>
      seeds.map((one) => of.deriveOtpCode(email, one)).join()
    const all = [codesOf(secrets, ANNA), codesOf(secrets, BERT), codesOf(other, ANNA)]
    expect(new Set(all).size).toBe(3)
    expect(new Set(seeds.map((one) => secrets.deriveOtpCode(ANNA, one))).size).toBeGreaterThan(48)
  })

  test('do not confuse where the address ends and the seed begins', () => {
    const left = secrets.deriveOtpCode('a@b.co' as Email, 'mseed' as OtpSeed)
    const right = secrets.deriveOtpCode('a@b.com' as Email, 'seed' as OtpSeed)
    expect(left).not.toBe(right)
  })

  test('are not made with the secret itself', () => {
    const secret = 'a secret of more than thirty-two bytes'
    const direct = hmacSecrets({ secret })
    const hasher = new Bun.CryptoHasher('sha256', secret)
    const raw = BigInt(`0x${hasher.update(ANNA + SEED).digest('hex')}`) % 1_000_000n
    expect(direct.deriveOtpCode(ANNA, SEED) as string).not.toBe(raw.toString().padStart(6, '0'))
  })

  test('are uniform: each digit in each place, and each thousand of codes', () => {
    const places = Array.from({ length: 6 }, () => new Array<number>(10).fill(0))
    const thousands = new Array<number>(1000).fill(0)
    for (let index = 0; index < 50_000; index++) {
      const code = secrets.deriveOtpCode(ANNA, seed(index))
      for (const [place, counts] of places.entries()) counts[Number(code[place])]!++
      thousands[Math.floor(Number(code) / 1000)]!++
    }
    // What chance exceeds once in ten thousand: 33.7 with 9 degrees of freedom, 1174 with 999.
    for (const counts of places) expect(chiSquared(counts)).toBeLessThan(33.7)
    expect(chiSquared(thousands)).toBeLessThan(1174)
  })
})

describe('code challenges', () => {
  test('are those of RFC 7636, appendix B, whatever the key', () => {
    const other = hmacSecrets({ secret: 'another secret of more than thirty-two bytes' })
    for (const { challengeOf } of [secrets, other]) {
      expect(challengeOf(VERIFIER)).toBe(CHALLENGE)
      expect(challengeOf(OTHER_VERIFIER)).toBe(OTHER_CHALLENGE)
    }
  })
})

describe('purchase ids', () => {
  test('are pur_ and 26 characters, all different and in the order of their making', () => {
    const ids = Array.from({ length: 5000 }, (_, index) =>
      secrets.newPurchaseId(new Date(NOON.getTime() + Math.floor(index / 10))),
    )
    for (const id of ids) expect(id).toMatch(/^pur_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    expect(new Set(ids).size).toBe(5000)
    expect(ids.toSorted()).toEqual(ids)
  })

  test('are in the order of the moments that they are given, whatever the machine’s clock says', () => {
    const [late, early, same] = [2000, 1000, 2000].map((ms) => secrets.newPurchaseId(new Date(ms)))
    expect(early! < late! && early! < same!).toBe(true)
    expect(early!.slice(0, 14)).toBe(secrets.newPurchaseId(new Date(1000)).slice(0, 14))
  })

  test('cannot be guessed from the ones before', () => {
    const endings = Array.from({ length: 200 }, () => secrets.newPurchaseId(NOON).slice(-12))
    // Sixty random bits: their first character, too, takes most of its 32 values.
    expect(new Set(endings).size).toBe(200)
    expect(new Set(endings.map((ending) => ending[0])).size).toBeGreaterThan(20)
  })
})

describe('what stays of an erased address', () => {
  const [digest] = secrets.erasureDigests(ANNA)

  test('is a name that tells nothing, and is never the same', () => {
    const names = Array.from({ length: 1000 }, () => secrets.newErasedEmail())
    expect(new Set(names).size).toBe(1000)
    expect(new Set(names.map((name) => name.slice(0, 10))).size).toBeGreaterThan(500)
    expect(names.every(isErased)).toBe(true)
  })

  test('is a digest that is the same after a restart and in every release', () => {
    const restarted = hmacSecrets({ secret: 'a secret of more than thirty-two bytes' })
    expect(restarted.erasureDigests(ANNA)).toEqual([digest])
    expect(digest as string).toBe('6xcLOQb3OYdpVVNWfdIP22RsDoW7FNev3eBXAOlEDE0')
  })

  test('is another digest for another address, or under another key', () => {
    const others = [
      secrets.erasureDigests(BERT),
      hmacSecrets({ secret: 'another' }).erasureDigests(ANNA),
    ]
    expect(new Set([digest, ...others.flat()]).size).toBe(3)
  })

  test('is found under the secret before, too, as long as that one counts', () => {
    const rolled = hmacSecrets({
      secret: 'a new secret',
      previousSecret: 'a secret of more than thirty-two bytes',
    })
    const [today, ...before] = rolled.erasureDigests(ANNA)
    expect(before).toEqual([digest])
    expect(today).not.toBe(digest)
    expect(hmacSecrets({ secret: 'a new secret' }).erasureDigests(ANNA)).toEqual([today])
  })

  test('is no digest that could be made without the key', () => {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      for (const algorithm of ['sha256', 'sha512', 'sha1', 'md5']) {
        expect(createHash(algorithm).update(ANNA).digest(encoding)).not.toBe(digest)
      }
    }
  })
})

describe('what stands for a mailbox', () => {
  const mailbox = mailboxOf(ANNA)
  const [digest] = secrets.mailboxDigests(mailbox)

  test('is a digest that is the same after a restart and in every release', () => {
    const restarted = hmacSecrets({ secret: 'a secret of more than thirty-two bytes' })
    expect(restarted.mailboxDigests(mailbox)).toEqual([digest])
    expect(digest as string).toBe('X_wDQ_llHA0G-wHNHyXydeqyppv59XSblNWin3vNVYw')
  })

  test('is no digest of an erased address, and another one for another mailbox', () => {
    const others = [...secrets.erasureDigests(ANNA), ...secrets.mailboxDigests(mailboxOf(BERT))]
    expect(new Set<string>([digest, ...others]).size).toBe(3)
  })

  test('is found under the secret before, too', () => {
    const previousSecret = 'a secret of more than thirty-two bytes'
    const rolled = hmacSecrets({ secret: 'a new secret', previousSecret })
    expect(rolled.mailboxDigests(mailbox)[1]).toBe(digest)
    expect(rolled.mailboxDigests(mailbox)[0]).not.toBe(digest)
  })
})

describe('random indexes', () => {
  test('reach every place and nothing else', () => {
    const counts = new Array<number>(7).fill(0)
    for (let round = 0; round < 7000; round++) counts[secrets.randomIndex(7)]!++
    expect(counts).toHaveLength(7)
    // Chance takes one of them below 800 less than once in ten million million runs.
    for (const count of counts) expect(count).toBeGreaterThan(750)
  })
})
