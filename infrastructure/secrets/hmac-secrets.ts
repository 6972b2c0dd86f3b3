import type { Secrets } from '../../application/ports.ts'
import { parseCodeChallenge } from '../../domain/code-challenge.ts'
import { type ErasedEmailDigest, erasedEmail } from '../../domain/erasure.ts'
import type { MailboxDigest } from '../../domain/mailbox.ts'
import type { PurchaseId } from '../../domain/order.ts'
import { CODE_LENGTH, type OtpSeed, parseOtpCode } from '../../domain/otp.ts'
import { randomBytes, randomIndex } from './random.ts'

const OTP_KEY_PURPOSE = 'alibi/otp-code/v1'
const OTP_KEY_NAME_PURPOSE = 'alibi/otp-key-name/v1'
const TRACE_KEY_PURPOSE = 'alibi/erased-email/v1'
const MAILBOX_KEY_PURPOSE = 'alibi/mailbox/v1'
const SEED_BYTES = 16
/** No character of base64url. */
const NAME_END = '.'
/** Two keys have one name less than once in 10^14 pairs. */
const KEY_NAME_BYTES = 6
const NAME_BYTES = 10
/** What RFC 5869 takes for a salt where there is none. */
const NO_SALT = Buffer.alloc(32)
const CODES = 10n ** BigInt(CODE_LENGTH)

/** Douglas Crockford's base 32: no I, L, O or U, and in ASCII order. */
const BASE_32 = '0123456789abcdefghjkmnpqrstvwxyz'
/** As many digits of five bits as hold 128. */
const ID_DIGITS = 26

/**
 * Codes are an HMAC of the address and a seed, digests one of the address or the mailbox, each under a key of its own
 * that is derived from `secret` (HKDF, RFC 5869).
 */
export function hmacSecrets({
  secret,
  previousSecret = null,
}: {
  secret: string
  /** Another replica may use it today, or this one may have: what was mailed, erased or counted under it holds. */
  previousSecret?: string | null
}): Secrets {
  const otpKeys = namedOtpKeys({ secret, previousSecret })
  const findKey = (seed: OtpSeed) =>
    otpKeys.find(({ name }) => seed.startsWith(`${name}${NAME_END}`))
  const traceKeys = deriveKeys({ secret, previousSecret }, TRACE_KEY_PURPOSE)
  const mailboxKeys = deriveKeys({ secret, previousSecret }, MAILBOX_KEY_PURPOSE)

  return {
    newOtpSeed: () =>
      `${otpKeys[0].name}${NAME_END}${randomBytes(SEED_BYTES).toString('base64url')}` as OtpSeed,
    knowsKeyOf: (seed) => !seed.includes(NAME_END) || findKey(seed) !== undefined,

    deriveOtpCode(email, seed) {
      const { key } = findKey(seed) ?? otpKeys[0]
      const digest = new Bun.CryptoHasher('sha256', key)
        .update(lengthPrefixed(email))
        .update(lengthPrefixed(seed))
        .digest('hex')
      // 2^256 is no multiple of a million, so some codes are likelier than others: by less than one part in 10^71.
      const code = BigInt(`0x${digest}`) % CODES
      return parseOtpCode(code.toString().padStart(CODE_LENGTH, '0'))
    },

    challengeOf: (verifier) =>
      parseCodeChallenge(new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')),

    newPurchaseId: (now) => newId('pur_', Bun.randomUUIDv7('buffer', now)) as PurchaseId,
    newGrantId,
    newErasedEmail: () => erasedEmail(randomBytes(NAME_BYTES).toString('hex')),
    erasureDigests: (email) => digests<ErasedEmailDigest>(email, traceKeys),
    mailboxDigests: (mailbox) => digests<MailboxDigest>(mailbox, mailboxKeys),

    randomIndex,
  }
}

type NamedKey = { readonly name: string; readonly key: Buffer }

/**
 * Today's key of the codes, then the one before. Their names are in the database for all who can read it, and are cut
 * from keys with which nothing else is made.
 */
function namedOtpKeys({
  secret,
  previousSecret,
}: {
  secret: string
  previousSecret: string | null
}): readonly [NamedKey, ...NamedKey[]] {
  const named = (one: string): NamedKey => ({
    name: deriveKey(one, OTP_KEY_NAME_PURPOSE).subarray(0, KEY_NAME_BYTES).toString('base64url'),
    key: deriveKey(one, OTP_KEY_PURPOSE),
  })
  return previousSecret === null ? [named(secret)] : [named(secret), named(previousSecret)]
}

/** Keys for this purpose alone: today's, which makes what is new, then the one under which the old still counts. */
export function deriveKeys(
  { secret, previousSecret }: { secret: string; previousSecret: string | null },
  purpose: string,
): readonly [Buffer, ...Buffer[]] {
  const key = deriveKey(secret, purpose)
  return previousSecret === null ? [key] : [key, deriveKey(previousSecret, purpose)]
}

/** A key for this purpose alone (HKDF of SHA-256, RFC 5869). Its 32 bytes are the first block, and the only one. */
function deriveKey(secret: string, purpose: string): Buffer {
  const extracted = new Bun.CryptoHasher('sha256', NO_SALT).update(secret).digest()
  return new Bun.CryptoHasher('sha256', extracted).update(purpose).update(Uint8Array.of(1)).digest()
}

function digests<Digest extends string>(
  text: string,
  [key, ...previousKeys]: readonly [Buffer, ...Buffer[]],
): readonly [Digest, ...Digest[]] {
  const under = (one: Buffer) =>
    new Bun.CryptoHasher('sha256', one).update(text).digest('base64url') as Digest
  return [under(key), ...previousKeys.map(under)]
}

/** The name of an operator's grant. */
export function newGrantId(): string {
  return newId('grant_', Bun.randomUUIDv7('buffer'))
}

/** It sorts as the UUID does: by the milliseconds in its first bits. */
function newId(prefix: string, uuid: Buffer): string {
  return prefix + base32(uuid)
}

/** Makes sure that no two pairs of texts become the same bytes. */
export function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A 128-bit number that sorts as text the way its bytes do. */
function base32(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let digits = ''
  for (let position = 0; position < ID_DIGITS; position++) {
    digits = BASE_32.charAt(Number(rest & 31n)) + digits
    rest >>= 5n
  }
  return digits
}
