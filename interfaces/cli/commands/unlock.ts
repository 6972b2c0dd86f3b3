import { unlockEmail } from '../../../application/access/unlock-email.ts'
import type { Email } from '../../../domain/email.ts'
import type { Command } from '../command.ts'
import { JSON_OPTION } from '../command-words.ts'
import { parseEmailOperand } from '../email-operand.ts'
import { EXIT } from '../exit-codes.ts'

export const unlockCommand: Command<{ readonly email: Email }> = {
  name: 'unlock',
  summary: 'let an address ask for codes, and try them, again',
  operands: ['EMAIL'],
  options: [JSON_OPTION],
  details: `Forgets the wrong codes that were tried for EMAIL and the mails with a code that were sent to it,
so that it need not wait until a day has passed, and prints how many there were; 0 is no failure.
Mails to other spellings of its mailbox (anna+shop@example.com) no longer count against it either.
What MAIL_LIMIT counts stays as it is.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  parse: (operands) => parseEmailOperand('unlock', operands),
  run: (context, { email }) => context.withStore((ports) => unlock({ ...context, ports, email })),
}

/** Gives an address its wrong codes and mails back, and says how many there were. */
export async function unlock({
  ports,
  email,
  json,
  print,
}: {
  ports: Parameters<typeof unlockEmail>[0]
  email: Email
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  const { mails, wrongTries } = await unlockEmail(ports, email)
  if (json) print(JSON.stringify({ email, forgotten: wrongTries, mails }))
  else if (mails + wrongTries === 0) print(`No wrong code and no mail counts against ${email}.`)
  else
    print(`Forgot ${counted(wrongTries, 'wrong code')} and ${counted(mails, 'mail')} of ${email}.`)
  return EXIT.done
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
