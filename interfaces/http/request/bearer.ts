import {
  holderOf,
  readToken,
  recallToken,
  requireAlive,
  requireAlivePremium,
  type TokenReading,
} from '../../../application/access/authenticate.ts'
import type { Ports } from '../../../application/ports.ts'
import type { Email } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Exchange } from './exchange.ts'

const USUAL_SCHEME = 'Bearer '

/** A request that may carry a token. */
export type Caller = Pick<Exchange, 'request' | 'tokenReading'>

type Dependencies = Pick<Ports, 'tokens' | 'access' | 'secrets' | 'clock' | 'rules'>

/** The address whose token the request carries. Throws `missing_token` or `invalid_token`. */
export async function authenticateRequest(ports: Dependencies, exchange: Caller): Promise<Email> {
  return requireAlive(await readRequired(ports, exchange))
}

/** As `authenticateRequest`. Throws `premium_required` unless the address has premium. */
export async function authenticatePremium(ports: Dependencies, exchange: Caller): Promise<Email> {
  return requireAlivePremium(await readRequired(ports, exchange))
}

/** As `authenticatePremium`, from what is known at once. Null where that does not let the request in. */
export function recallPremium(ports: Dependencies, exchange: Caller): Email | null {
  const reading = exchange.tokenReading ? Bun.peek(exchange.tokenReading) : recall(ports, exchange)
  if (!reading || reading instanceof Promise || reading instanceof Error) return null
  return reading.isAlive && reading.hasPremium ? reading.email : null
}

function recall(ports: Dependencies, { request }: Caller): TokenReading | null {
  const token = findBearerToken(request.headers.get('authorization'))
  return token === null ? null : recallToken(ports, token)
}

async function readRequired(ports: Dependencies, exchange: Caller): Promise<TokenReading | null> {
  const reading = readOnce(ports, exchange)
  if (reading === undefined) throw new DomainError('missing_token')
  return reading
}

/**
 * The address that the sender of the request has been in with not long ago, as its token shows, which may have expired.
 * Null without a token, and for any other one.
 */
export async function findHolder(ports: Dependencies, exchange: Caller): Promise<Email | null> {
  return holderOf((await readOnce(ports, exchange)) ?? null)
}

/** The address that the token of the request lets in. Null without a token, and for any other one. */
export async function findSender(ports: Dependencies, exchange: Caller): Promise<Email | null> {
  const reading = await readOnce(ports, exchange)
  return reading?.isAlive ? reading.email : null
}

/** What the token of the request shows; undefined without a token. */
function readOnce(ports: Dependencies, exchange: Caller): Exchange['tokenReading'] {
  if (exchange.tokenReading !== undefined) return exchange.tokenReading
  const token = findBearerToken(exchange.request.headers.get('authorization'))
  if (token === null) return undefined
  exchange.tokenReading = readToken(ports, token)
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
