import type { Email } from '../../domain/email.ts'
import { nextTokensValidAfter } from '../../domain/log-out.ts'
import type { Ports } from '../ports.ts'

/** Ends every token the address has, on every device. */
export async function logOut(ports: Pick<Ports, 'logOuts' | 'clock'>, email: Email): Promise<void> {
  await ports.logOuts.update(email, (tokensValidAfter) =>
    nextTokensValidAfter(tokensValidAfter, ports.clock.now()),
  )
}
