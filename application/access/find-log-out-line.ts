import type { Email } from '../../domain/email.ts'
import type { Ports } from '../ports.ts'

/**
 * Where the line is before which tokens of an address are void, also where its erasure drew it. Null where none was
 * drawn.
 */
export function findLogOutLine(
  { logOuts, secrets }: Pick<Ports, 'logOuts' | 'secrets'>,
  email: Email,
): Promise<Date | null> {
  return logOuts.findByEmail(email, secrets.tracesOf(email))
}
