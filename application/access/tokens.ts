import type { Email } from '../../domain/email.ts'
import type { Epoch } from '../../domain/log-out.ts'
import type { Ports, Token } from '../ports.ts'
import { checkPremium } from './check-premium.ts'

/** What a token depends on: whether its address has premium, and the epoch of the database. */
export type TokenAccess = { readonly hasPremium: boolean; readonly epoch: Epoch }

/**
 * Reads all that a token depends on. A caller that spends a code for a token calls this first, so that an outage costs
 * no code. The epoch is read before premium, so that an erasure in between ends the token.
 */
export async function readTokenAccess(
  ports: Pick<Ports, 'premiumGrants' | 'logOuts'>,
  email: Email,
): Promise<TokenAccess> {
  const epoch = await ports.logOuts.findEpoch()
  return { hasPremium: await checkPremium(ports, email), epoch }
}

/** Hands out a token. It outlives every log-out that came before the reading of the epoch, and none that came after. */
export async function issueToken(
  { tokens, clock }: Pick<Ports, 'tokens' | 'clock'>,
  email: Email,
  { epoch }: Pick<TokenAccess, 'epoch'>,
): Promise<Token> {
  return tokens.issue(email, { now: clock.now(), epoch })
}

/** The epoch before which the tokens of an address are void, by a log-out or an erasure. Null where none are. */
export function findLogOut(
  { logOuts, secrets }: Pick<Ports, 'logOuts' | 'secrets'>,
  email: Email,
): Promise<Epoch | null> {
  return logOuts.findByEmail(email, secrets.erasureDigests(email))
}
