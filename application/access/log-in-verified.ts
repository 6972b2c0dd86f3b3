import type { CodeVerifier } from '../../domain/code-challenge.ts'
import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import { isProvenBy } from '../../domain/verification.ts'
import type { Ports, Token } from '../ports.ts'
import { findAccess } from './check-premium.ts'
import { issueToken } from './tokens.ts'

type Dependencies = Pick<Ports, 'verifications' | 'access' | 'secrets' | 'tokens' | 'clock'>

/**
 * Issues a token, without another code, to the browser that proved the address a while ago, as often as it asks while
 * the verification lives. Throws `email_not_verified_to_log_in` where anything is wrong with the verification, and
 * `premium_required_to_log_in` only for a valid one.
 */
export async function logInVerified(
  ports: Dependencies,
  { email, codeVerifier }: { email: Email; codeVerifier: CodeVerifier },
): Promise<Token> {
  const verification = await ports.verifications.findByEmail(email)
  // Read after the verification, so that a log-out or an erasure up to here refuses it. One after here ends the token.
  const { grants, loggedOutIn, epoch } = await findAccess(ports, email)
  const codeChallenge = ports.secrets.challengeOf(codeVerifier)
  const now = ports.clock.now()
  if (!isProvenBy(verification, { codeChallenge, loggedOutIn, now })) {
    throw new DomainError('email_not_verified_to_log_in')
  }

  if (!hasPremium(grants)) throw new DomainError('premium_required_to_log_in')
  return issueToken(ports, email, { epoch })
}
