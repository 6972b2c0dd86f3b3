import { authenticate } from '../../../application/access/authenticate.ts'
import type { Ports } from '../../../application/ports.ts'
import type { Email } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'

/** The token of an `Authorization: Bearer` header (RFC 6750); the scheme is read in any case. Null without one. */
export function findBearerToken(authorization: string | null): string | null {
  const [, token = ''] = /^bearer +(.*)$/i.exec(authorization?.trim() ?? '') ?? []
  return token || null
}

/** The address whose token the request carries. Throws `missing_token` or `invalid_token`. */
export async function authenticateRequest(
  ports: Pick<Ports, 'tokens' | 'logOuts' | 'secrets' | 'clock'>,
  request: Request,
): Promise<Email> {
  const token = findBearerToken(request.headers.get('authorization'))
  if (token === null) throw new DomainError('missing_token')
  return authenticate(ports, token)
}
