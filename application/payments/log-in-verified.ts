import type { CodeVerifier } from '../../domain/code-challenge.ts'
import type { Email } from '../../domain/email.ts'
import { DomainError } from '../../domain/errors.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import { findProvenAccess } from '../access/check-premium.ts'
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
