import { authenticate } from '../../../application/access/authenticate.ts'
import type { Ports } from '../../../application/ports.ts'
import type { Email } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'

/** The authentications by the rate limit, by the request that the routes see. An entry lives as long as its request. */
const authentications = new WeakMap<Request, Promise<Email>>()

/** Makes `authenticateRequest` return this for the request, so that its token is checked only once. */
export function rememberAuthentication(request: Request, authentication: Promise<Email>): void {
  authentications.set(request, authentication)
}

/** The address whose token the request carries. Throws `missing_token` or `invalid_token`. */
export async function authenticateRequest(
  ports: Pick<Ports, 'tokens' | 'logOuts' | 'secrets' | 'clock'>,
  request: Request,
): Promise<Email> {
  const known = authentications.get(request)
  if (known) return known

  const token = findBearerToken(request.headers.get('authorization'))
  if (token === null) throw new DomainError('missing_token')
  return authenticate(ports, token)
}

/** The token of an `Authorization: Bearer` header (RFC 6750); the scheme is read in any case. Null without one. */
function findBearerToken(authorization: string | null): string | null {
  const [, token = ''] = /^bearer +(.*)$/i.exec(authorization?.trim() ?? '') ?? []
  return token || null
}
