import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { isLoggedOut } from '../../domain/log-out.ts'
import type { Ports } from '../ports.ts'
import { findTokensValidAfter } from './tokens.ts'

type Dependencies = Pick<Ports, 'tokens' | 'logOuts' | 'secrets' | 'clock'>

/** Turns a token back into its address. Throws `invalid_token`, also after a log-out or an erasure of the address. */
export async function authenticate(ports: Dependencies, token: string): Promise<Email> {
  const claims = await ports.tokens.verify(token, ports.clock.now())
  if (!claims) throw new DomainError('invalid_token')

  const tokensValidAfter = await findTokensValidAfter(ports, claims.email)
  if (isLoggedOut(claims.issuedAt, tokensValidAfter)) throw new DomainError('invalid_token')
  return claims.email
}
