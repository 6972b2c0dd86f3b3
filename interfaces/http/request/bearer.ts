import {
  holderOf,
  readToken,
  requireAlive,
  requireAlivePremium,
  type TokenReading,
} from '../../../application/access/authenticate.ts'
import type { Ports } from '../../../application/ports.ts'
import type { Email } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import { exchangeOf } from './exchange.ts'

const USUAL_SCHEME = 'Bearer '

type Dependencies = Pick<Ports, 'tokens' | 'access' | 'secrets' | 'clock' | 'rules'>

/** The address whose token the request carries. Throws `missing_token` or `invalid_token`. */
export async function authenticateRequest(ports: Dependencies, request: Request): Promise<Email> {
  return requireAlive(await readRequired(ports, request))
}

/** As `authenticateRequest`. Throws `premium_required` unless the address has premium. */
export async function authenticatePremium(ports: Dependencies, request: Request): Promise<Email> {
  return requireAlivePremium(await readRequired(ports, request))
}

async function readRequired(ports: Dependencies, request: Request): Promise<TokenReading | null> {
  const token = findBearerToken(request.headers.get('authorization'))
  if (token === null) throw new DomainError('missing_token')
  return readOnce(ports, { request, token })
}

/**
 * The address that the sender of the request has been in with not long ago, as its token shows, which may have expired.
 * Null without a token, and for any other one.
 */
export async function findHolder(ports: Dependencies, request: Request): Promise<Email | null> {
  const token = findBearerToken(request.headers.get('authorization'))
  return token === null ? null : holderOf(await readOnce(ports, { request, token }))
}

/** The address of the token that the request carries, where that shows anything. */
export async function findSender(ports: Dependencies, request: Request): Promise<Email | null> {
  const token = findBearerToken(request.headers.get('authorization'))
  return token === null ? null : ((await readOnce(ports, { request, token }))?.email ?? null)
}

function readOnce(
  ports: Dependencies,
  { request, token }: { request: Request; token: string },
): Promise<TokenReading | null> {
  const exchange = exchangeOf(request)
  exchange.tokenReading ??= readToken(ports, token)
  return exchange.tokenReading
}

/** The token of an `Authorization: Bearer` header (RFC 6750); the scheme is read in any case. Null without one. */
function findBearerToken(authorization: string | null): string | null {
  if (authorization === null) return null
  // As nearly all write it: a comparison costs less than the pattern.
  if (authorization.startsWith(USUAL_SCHEME)) {
    const token = authorization.slice(USUAL_SCHEME.length)
    if (!token.startsWith(' ')) return token || null
  }
  const [, token = ''] = /^bearer +(.*)$/i.exec(authorization.trim()) ?? []
  return token || null
}
