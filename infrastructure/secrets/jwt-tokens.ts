import { jwt } from '@elysiajs/jwt'
import type { Token, Tokens } from '../../application/ports.ts'
import { type Email, findEmail } from '../../domain/email.ts'

const LENGTH_MAX = 4096

/** Checking a signature takes longer than all the rest of a request, so the latest tokens are remembered. */
const REMEMBERED_MAX = 1000

/**
 * Three segments of base64url, the last of them 32 bytes in their only spelling. The library's own decoder ignores
 * white space and the spare bits of the last character, so one token could be written in many ways.
 */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

// Why: docs/decisions.md#a-tokens-moment-of-issue-is-in-its-id
/**
 * HS256 tokens. The moment of issue that counts is the RFC 9562 timestamp of `jti`, in milliseconds; the plugin stamps
 * `iat` by the machine's own clock, for information only. Tokens signed with `previousSecret` are still accepted.
 */
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
  const current = signer(secret)
  // The signature and the claims of a token never change: only its expiry has to be looked at again.
  const verified = new Map<string, Verified>()
  const accepted = previousSecret === null ? [current] : [current, signer(previousSecret)]

  return {
    async issue(email, issuedAt) {
      const token = await current.sign({
        sub: email,
        email,
        iss: issuer,
        // As `iat` is, in whole seconds, so that the two are a lifetime apart.
        exp: Math.floor((issuedAt.getTime() + lifetimeMs) / 1000),
        jti: Bun.randomUUIDv7('hex', issuedAt),
      })
      return token as Token
    },

    async verify(token, now) {
      const known = verified.get(token)
      if (known) return now < known.expiresAt ? known.claims : null

      const read = await readToken(token, { accepted, issuer, now })
      if (!read) return null
      if (verified.size >= REMEMBERED_MAX) verified.delete(verified.keys().next().value ?? token)
      verified.set(token, read)
      return read.claims
    },
  }
}

type Verified = {
  readonly claims: { readonly email: Email; readonly issuedAt: Date }
  readonly expiresAt: Date
}

async function readToken(
  token: string,
  {
    accepted,
    issuer,
    now,
  }: { accepted: readonly ReturnType<typeof signer>[]; issuer: string; now: Date },
): Promise<Verified | null> {
  if (token.length > LENGTH_MAX || !TOKEN.test(token)) return null
  for (const { verify } of accepted) {
    const claims = await verify(token, {
      algorithms: ['HS256'],
      typ: 'JWT',
      issuer,
      requiredClaims: ['sub', 'email', 'iat', 'exp', 'jti'],
      currentDate: now,
      clockTolerance: 0,
    })
    if (claims) return readClaims(claims)
  }
  return null
}

function signer(secret: string) {
  return jwt({ secret, alg: 'HS256' }).decorator.jwt
}

function readClaims({ sub, email, exp, jti }: Readonly<Record<string, unknown>>): Verified | null {
  const address = findEmail(email)
  if (address === null || email !== address || sub !== address) return null
  if (typeof jti !== 'string' || !UUID_V7.test(jti)) return null
  const issuedAt = new Date(Number.parseInt(jti.replace('-', '').slice(0, 12), 16))
  return {
    claims: { email: address, issuedAt },
    expiresAt: new Date(Number(exp) * 1000),
  }
}
