import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { isLoggedOut } from '../../domain/log-out.ts'
import type { Ports } from '../ports.ts'
import { findLogOutLine } from './find-log-out-line.ts'

type Dependencies = Pick<Ports, 'tokens' | 'logOuts' | 'secrets' | 'clock'>

/**
 * Turns a token back into its address. Throws `invalid_token`, also once the address has
 * logged out everywhere, or was erased.
 */
export async function authenticate(ports: Dependencies, token: string): Promise<Email> {
  const claims = await ports.tokens.verify(token, ports.clock.now())
  if (!claims) throw new DomainError('invalid_token')

  const lineAt = await findLogOutLine(ports, claims.email)
  if (isLoggedOut(claims.issuedAt, lineAt)) throw new DomainError('invalid_token')
  return claims.email
}
