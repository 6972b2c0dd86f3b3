import { unlockEmail } from '../../../application/access/unlock-email.ts'
import { emailCommand } from '../email-command.ts'

export const unlockCommand = emailCommand({
  name: 'unlock',
  summary: 'let an address ask for codes, and try them, again',
  details: `Forgets the wrong codes that were tried for EMAIL and the mails with a code that were sent to it,
so that it need not wait until a day has passed, and prints how many there were; 0 is no failure.
Mails to other spellings of its mailbox (anna+shop@example.com) no longer count against it either.
What MAIL_LIMIT counts stays as it is.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  async answer(ports, email) {
    const { mails, wrongTries } = await unlockEmail(ports, email)
    const text =
      mails + wrongTries === 0
        ? `No wrong code and no mail counts against ${email}.`
        : `Forgot ${counted(wrongTries, 'wrong code')} and ${counted(mails, 'mail')} of ${email}.`
    return { text, report: { forgotten: wrongTries, mails } }
  },
})

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
