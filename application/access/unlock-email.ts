import type { Email } from '../../domain/email.ts'
import { forgetWrongTries } from '../../domain/otp.ts'
import type { Ports } from '../ports.ts'

/**
 * Forgets the wrong tries of an address, so that it may try codes again, and returns how many there were. The limit on
 * mails and a valid code stay as they are.
 */
export async function unlockEmail(
  { otps, clock }: Pick<Ports, 'otps' | 'clock'>,
  email: Email,
): Promise<number> {
  const { forgotten } = await otps.update(email, (record) => forgetWrongTries(record, clock.now()))
  return forgotten
}
