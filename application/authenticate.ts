import type { Email } from '../domain/email.ts'
import { DomainError } from '../domain/errors.ts'
import { isLoggedOut } from '../domain/log-out.ts'
import { checkPremium } from './check-premium.ts'
import type { Ports } from './ports.ts'

type Dependencies = Pick<Ports, 'tokens' | 'logOuts' | 'clock'>

/** Turns a token back into its address. Throws `invalid_token`, also once the address has logged out everywhere. */
export async function authenticate(ports: Dependencies, token: string): Promise<Email> {
  const claims = await ports.tokens.verify(token, ports.clock.now())
  if (!claims) throw new DomainError('invalid_token')

  const line = await ports.logOuts.findByEmail(claims.email)
  if (isLoggedOut(claims.issuedAt, line)) throw new DomainError('invalid_token')
  return claims.email
}

/** Throws `premium_required` unless the address has premium at this moment. */
export async function requirePremium(
  ports: Pick<Ports, 'premiumGrants'>,
  email: Email,
): Promise<void> {
  if (!(await checkPremium(ports, email))) throw new DomainError('premium_required')
}
