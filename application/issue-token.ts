import type { Email } from '../domain/email.ts'
import { issueTime } from '../domain/log-out.ts'
import type { Ports, Token } from './ports.ts'

type Dependencies = Pick<Ports, 'logOuts' | 'tokens' | 'clock'>

/** Issues a token that outlives every earlier log-out of the address. Whether it may have one, the caller decides. */
export async function issueToken(ports: Dependencies, email: Email): Promise<Token> {
  const lineAt = await ports.logOuts.findByEmail(email)
  return ports.tokens.issue(email, issueTime(lineAt, ports.clock.now()))
}
