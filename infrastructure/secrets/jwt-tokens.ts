import { onceAsked } from '../../application/first-use.ts'
import type { Token, Tokens } from '../../application/ports.ts'
import { findEmail } from '../../domain/email.ts'
import type { Epoch } from '../../domain/log-out.ts'
import type { TokenClaims } from '../../domain/token.ts'
import { recentEntries } from '../recent-entries.ts'

const LENGTH_MAX = 4096

/** Checking a signature takes longer than all the rest of a request, so some 25,000 tokens in use are remembered. */
const REMEMBERED_BYTES_MAX = 20 * 1024 * 1024

/** As measured: all of an entry but the characters of its token and its address. */
const ENTRY_BYTES = 420

/**
 * Three segments of base64url, the last of them 32 bytes in their only spelling. The library's own decoder ignores
 * white space and the spare bits of the last character, so one token could be written in many ways.
 */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/

/** In its first 48 bits a UUIDv8 has the epoch. A UUIDv7 has a time in milliseconds there, which counts as one. */
const TOKEN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

// Why: docs/decisions.md#a-tokens-epoch-is-in-its-id
/** HS256 tokens with the epoch in their id. Tokens signed with `previousSecret` are still accepted. */
export function jwtTokens({
  secret,
  previousSecret,
  issuer,
  lifetimeMs,
}: {
  secret: string
  previousSecret: string | null
  issuer: string
  lifetimeMs: number
}): Tokens {
  // Given the bytes, the library would import them anew for each token.
  const signingKey = onceAsked(() => importKey(secret))
  // The signature and the claims of a token never change. Only what we have signed is kept: no stranger can fill it.
  const verified = recentEntries<TokenClaims>({
    sizeMax: REMEMBERED_BYTES_MAX,
    sizeOf: (token, { email }) => ENTRY_BYTES + token.length + email.length,
  })
  const secrets = [secret, ...(previousSecret === null ? [] : [previousSecret])]
  const verifiers = onceAsked(() => makeVerifiers(secrets))

  async function verify(token: string): Promise<TokenClaims | null> {
    const claims = await readToken(token, { verifiers, issuer })
    if (claims) verified.keep(ownText(token), claims)
    return claims
  }

  return {
    async issue(email, { now, epoch }) {
      // By the library inside the plugin: the plugin stamps `iat` by the machine's own clock, whatever it is given.
      const { SignJWT } = await import('jose')
      const claims = new SignJWT({
        sub: email,
        email,
        iss: issuer,
        iat: wholeSeconds(now.getTime()),
        exp: wholeSeconds(now.getTime() + lifetimeMs),
        jti: newTokenId(epoch),
      })
      return (await claims
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .sign(await signingKey())) as Token
    },

    verify: async (token) => verified.find(token) ?? verify(token),
    recall: (token) => verified.find(token),
  }
}

function importKey(secret: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, [
    'sign',
  ])
}

/** A part of a text keeps the whole text in memory: here the header of a request, which its sender may make long. */
function ownText(token: string): string {
  return Buffer.from(token, 'latin1').toString('latin1')
}

function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

/** A UUIDv8 (RFC 9562, section 5.8): 48 bits of the epoch, and 74 of chance. */
function newTokenId(epoch: Epoch): string {
  const bits = epoch.toString(16).padStart(12, '0')
  // All but the first 48 bits, and the version, which says that all of them are random.
  const random = crypto.randomUUID().slice('xxxxxxxx-xxxx-4'.length)
  return `${bits.slice(0, 8)}-${bits.slice(8)}-8${random}`
}

/** Here nothing has expired yet. */
const BEGINNING_OF_TIME = new Date(0)

async function readToken(
  token: string,
  { verifiers, issuer }: { verifiers: () => ReturnType<typeof makeVerifiers>; issuer: string },
): Promise<TokenClaims | null> {
  if (token.length > LENGTH_MAX || !TOKEN.test(token)) return null
  for (const verify of await verifiers()) {
    const claims = await verify(token, {
      algorithms: ['HS256'],
      typ: 'JWT',
      issuer,
      requiredClaims: ['sub', 'email', 'iat', 'exp', 'jti'],
      currentDate: BEGINNING_OF_TIME,
      clockTolerance: 0,
    })
    if (claims) return readClaims(claims)
  }
  return null
}

async function makeVerifiers(secrets: readonly string[]) {
  const { jwt } = await import('@elysiajs/jwt')
  return secrets.map((secret) => jwt({ secret, alg: 'HS256' }).decorator.jwt.verify)
}

function readClaims({
  sub,
  email,
  iat,
  exp,
  jti,
}: Readonly<Record<string, unknown>>): TokenClaims | null {
  const address = findEmail(email)
  if (address === null || email !== address || sub !== address) return null
  if (typeof jti !== 'string' || !TOKEN_ID.test(jti)) return null
  return {
    email: address,
    issuedAt: new Date(Number(iat) * 1000),
    expiresAt: new Date(Number(exp) * 1000),
    epoch: Number.parseInt(jti.replace('-', '').slice(0, 12), 16) as Epoch,
  }
}
