import type { Email } from '../../domain/email.ts'
import { mailboxOf } from '../../domain/mailbox.ts'
import { forgetCounted, ofTheLastDay } from '../../domain/otp.ts'
import { SENDER_KINDS } from '../../domain/sender.ts'
import type { Ports } from '../ports.ts'

/** How many were given back. */
export type Unlocked = {
  /** To the address and, of those to other addresses of its mailbox, to the mailbox. */
  readonly mails: number
  readonly wrongTries: number
}

/**
 * Gives an address all its mails and wrong tries back, those of holders of a token and those of strangers. A valid code
 * stays as it is, and so does what the whole service has mailed.
 */
export async function unlockEmail(
  { otps, clock }: Pick<Ports, 'otps' | 'clock'>,
  email: Email,
): Promise<Unlocked> {
  let [mails, wrongTries] = [0, 0]
  for (const sender of SENDER_KINDS) {
    const forgotten = await otps.update({ email, sender }, (record) =>
      forgetCounted(record, clock.now()),
    )
    mails += forgotten.mails
    wrongTries += forgotten.wrongTries
  }
  const others = await otps.forgetMailbox(mailboxOf(email))
  return { mails: mails + ofTheLastDay(others, clock.now()).length, wrongTries }
}
