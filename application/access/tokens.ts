import type { Email } from '../../domain/email.ts'
import { issueTime } from '../../domain/log-out.ts'
import type { Ports, Token } from '../ports.ts'
import { checkPremium } from './check-premium.ts'

/** What a token depends on: whether its address has premium, and the moment before which all its tokens are void. */
export type TokenAccess = { readonly hasPremium: boolean; readonly tokensValidAfter: Date | null }

/**
 * Reads all that a token depends on. A caller that spends a code for a token calls this first, so that an outage costs
 * no code.
 */
export async function readTokenAccess(
  ports: Pick<Ports, 'premiumGrants' | 'logOuts' | 'secrets'>,
  email: Email,
): Promise<TokenAccess> {
  return {
    hasPremium: await checkPremium(ports, email),
    tokensValidAfter: await findTokensValidAfter(ports, email),
  }
}

/** Issues a token now. It outlives every log-out of the address that `readTokenAccess` has seen. */
export async function issueToken(
  { tokens, clock }: Pick<Ports, 'tokens' | 'clock'>,
  email: Email,
  { tokensValidAfter }: Pick<TokenAccess, 'tokensValidAfter'>,
): Promise<Token> {
  const now = clock.now()
  return tokens.issue(email, { now, orderedAt: issueTime(tokensValidAfter, now) })
}

/** The moment before which the tokens of an address are void, by a log-out or an erasure. Null where none are. */
export function findTokensValidAfter(
  { logOuts, secrets }: Pick<Ports, 'logOuts' | 'secrets'>,
  email: Email,
): Promise<Date | null> {
  return logOuts.findByEmail(email, secrets.erasureDigests(email))
}
