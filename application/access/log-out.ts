import type { Email } from '../../domain/email.ts'
import { nextEpoch } from '../../domain/log-out.ts'
import type { Ports } from '../ports.ts'

/** Ends every token the address has, on every device. */
export async function logOut(ports: Pick<Ports, 'logOuts' | 'clock'>, email: Email): Promise<void> {
  await ports.logOuts.update(email, (epoch) => nextEpoch(epoch, ports.clock.now()))
}
