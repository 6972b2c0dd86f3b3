import type { Email } from '../../domain/email.ts'
import { issueTime } from '../../domain/log-out.ts'
import type { Ports, Token } from '../ports.ts'
import { checkPremium } from './check-premium.ts'
import { findLogOutLine } from './find-log-out-line.ts'

type Dependencies = Pick<Ports, 'logOuts' | 'secrets' | 'tokens' | 'clock'>

/**
 * Reads all that a token depends on, for an address that has premium, and returns what issues it; null for any other
 * address. Whoever spends a code for the token prepares first and spends then, so that an outage costs nobody a code.
 */
export async function prepareToken(
  ports: Dependencies & Pick<Ports, 'premiumGrants'>,
  email: Email,
): Promise<(() => Promise<Token>) | null> {
  if (!(await checkPremium(ports, email))) return null

  const lineAt = await findLogOutLine(ports, email)
  // The token outlives every earlier log-out of the address.
  return () => ports.tokens.issue(email, issueTime(lineAt, ports.clock.now()))
}
