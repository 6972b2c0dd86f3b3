import type { Email } from '../../domain/email.ts'
import type { Epoch } from '../../domain/log-out.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import type { Ports, Token } from '../ports.ts'
import { findAccess } from './check-premium.ts'

/** What a token depends on: whether its address has premium, and the epoch of the database. */
export type TokenAccess = { readonly hasPremium: boolean; readonly epoch: Epoch }

/**
 * Reads all that a token depends on, of one moment. A caller that spends a code for a token calls this first, so that
 * an outage costs no code, and that a log-out or an erasure from then on ends the token.
 */
export async function readTokenAccess(
  ports: Pick<Ports, 'access' | 'secrets'>,
  email: Email,
): Promise<TokenAccess> {
  const { grants, epoch } = await findAccess(ports, email)
  return { hasPremium: hasPremium(grants), epoch }
}

/** Hands out a token. It outlives every log-out that came before the reading of the epoch, and none that came after. */
export async function issueToken(
  { tokens, clock }: Pick<Ports, 'tokens' | 'clock'>,
  email: Email,
  { epoch }: Pick<TokenAccess, 'epoch'>,
): Promise<Token> {
  return tokens.issue(email, { now: clock.now(), epoch })
}
