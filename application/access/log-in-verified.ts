import type { CodeVerifier } from '../../domain/code-challenge.ts'
import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { isProvenBy } from '../../domain/verification.ts'
import type { Ports, Token } from '../ports.ts'
import { checkPremium } from './check-premium.ts'
import { findLogOut, issueToken } from './tokens.ts'

type Dependencies = Pick<
  Ports,
  'verifications' | 'logOuts' | 'premiumGrants' | 'secrets' | 'tokens' | 'clock'
>

/**
 * Issues a token, without another code, to the browser that proved the address a while ago, as often as it asks while
 * the verification lives. Throws `email_not_verified_to_log_in` where anything is wrong with the verification, and
 * `premium_required_to_log_in` only for a valid one.
 */
export async function logInVerified(
  ports: Dependencies,
  { email, codeVerifier }: { email: Email; codeVerifier: CodeVerifier },
): Promise<Token> {
  // The epoch is read before the log-out, so that a log-out after that reading ends the token.
  const epoch = await ports.logOuts.findEpoch()
  const verification = await ports.verifications.findByEmail(email)
  const loggedOutIn = await findLogOut(ports, email)
  const codeChallenge = ports.secrets.challengeOf(codeVerifier)
  const now = ports.clock.now()
  if (!isProvenBy(verification, { codeChallenge, loggedOutIn, now })) {
    throw new DomainError('email_not_verified_to_log_in')
  }

  if (!(await checkPremium(ports, email))) throw new DomainError('premium_required_to_log_in')
  return issueToken(ports, email, { epoch })
}
