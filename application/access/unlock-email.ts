import type { Email } from '../../domain/email.ts'
import { forgetWrongTries } from '../../domain/otp.ts'
import type { Ports } from '../ports.ts'

/**
 * Lets an address try codes again that has used up its wrong tries, and says how many of them are forgotten. How many
 * mails it may get stays as it is, and so does the code that lives.
 */
export async function unlockEmail(
  { otps, clock }: Pick<Ports, 'otps' | 'clock'>,
  email: Email,
): Promise<number> {
  const { forgotten } = await otps.update(email, (record) => forgetWrongTries(record, clock.now()))
  return forgotten
}
