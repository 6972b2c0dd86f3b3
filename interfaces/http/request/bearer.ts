import {
  holderOf,
  readToken,
  requireAlive,
  type TokenReading,
} from '../../../application/access/authenticate.ts'
import type { Ports } from '../../../application/ports.ts'
import type { Email } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'

type Dependencies = Pick<Ports, 'tokens' | 'logOuts' | 'secrets' | 'clock' | 'rules'>

/** What the token of each request shows. An entry lives as long as its request. */
const readings = new WeakMap<Request, Promise<TokenReading | null>>()

/** Makes the token of the request count as read for the request that the routes see, so that it is read only once. */
export function handBearerOver(request: Request, routed: Request): void {
  const reading = readings.get(request)
  if (!reading) return
  readings.set(routed, reading)
  readings.delete(request)
}

/** The address whose token the request carries. Throws `missing_token` or `invalid_token`. */
export async function authenticateRequest(ports: Dependencies, request: Request): Promise<Email> {
  const token = findBearerToken(request.headers.get('authorization'))
  if (token === null) throw new DomainError('missing_token')
  return requireAlive(await readOnce(ports, { request, token }))
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
  const known = readings.get(request)
  if (known) return known
  const reading = readToken(ports, token)
  readings.set(request, reading)
  return reading
}

/** The token of an `Authorization: Bearer` header (RFC 6750); the scheme is read in any case. Null without one. */
function findBearerToken(authorization: string | null): string | null {
  const [, token = ''] = /^bearer +(.*)$/i.exec(authorization?.trim() ?? '') ?? []
  return token || null
}
