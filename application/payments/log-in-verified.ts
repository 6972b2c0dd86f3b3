import type { CodeVerifier } from '../../domain/code-challenge.ts'
import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import { isProvenBy } from '../../domain/verification.ts'
import { findAccess } from '../access/check-premium.ts'
import { issueToken } from '../access/tokens.ts'
import type { Ports, Token } from '../ports.ts'
import { isPaymentUnderWay } from './check-payment.ts'
import type { SettleDependencies } from './settle-payment.ts'

type Dependencies = SettleDependencies &
  Pick<Ports, 'verifications' | 'access' | 'secrets' | 'tokens' | 'clock'>

/**
 * Issues a token, without another code, to the browser that proved the address a while ago, as often as it asks while
 * the verification lives. Throws `email_not_verified_to_log_in` where anything is wrong with the verification, and only
 * for a valid one `payment_processing`, where money is under way, or `premium_required_to_log_in`.
 */
export async function logInVerified(
  ports: Dependencies,
  { email, codeVerifier }: { email: Email; codeVerifier: CodeVerifier },
): Promise<Token> {
  let access = await findProvenAccess(ports, { email, codeVerifier })
  if (access && !hasPremium(access.grants)) {
    if (await isPaymentUnderWay(ports, email)) throw new DomainError('payment_processing')
    // The money may have been found on the way.
    access = await findProvenAccess(ports, { email, codeVerifier })
  }
  if (!access) throw new DomainError('email_not_verified_to_log_in')
  if (!hasPremium(access.grants)) throw new DomainError('premium_required_to_log_in')
  return issueToken(ports, email, access)
}

/** What the address may do; null unless a living verification of it was made in the browser that has the verifier. */
export async function findProvenAccess(
  ports: Pick<Ports, 'verifications' | 'access' | 'secrets' | 'clock'>,
  { email, codeVerifier }: { email: Email; codeVerifier: CodeVerifier },
) {
  const verification = await ports.verifications.findByEmail(email)
  // Read after the verification, so that a log-out or an erasure up to here refuses it. One after here ends the token.
  const access = await findAccess(ports, email)
  const codeChallenge = ports.secrets.challengeOf(codeVerifier)
  const { loggedOutIn } = access
  const now = ports.clock.now()
  return isProvenBy(verification, { codeChallenge, loggedOutIn, now }) ? access : null
}
