import type { CodeVerifier } from '../../domain/code-challenge.ts'
import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { issueTime } from '../../domain/log-out.ts'
import { isProvenBy } from '../../domain/verification.ts'
import type { Ports, Token } from '../ports.ts'
import { checkPremium } from './check-premium.ts'
import { findTokensValidAfter } from './tokens.ts'

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
  // The time of issue is taken before the log-out is read, so that a log-out after that reading ends the token.
  const now = ports.clock.now()
  const verification = await ports.verifications.findByEmail(email)
  const tokensValidAfter = await findTokensValidAfter(ports, email)
  const codeChallenge = ports.secrets.challengeOf(codeVerifier)
  if (!isProvenBy(verification, { codeChallenge, tokensValidAfter, now })) {
    throw new DomainError('email_not_verified_to_log_in')
  }

  if (!(await checkPremium(ports, email))) throw new DomainError('premium_required_to_log_in')
  return ports.tokens.issue(email, { now, orderedAt: issueTime(tokensValidAfter, now) })
}
