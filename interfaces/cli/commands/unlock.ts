import { unlockEmail } from '../../../application/access/unlock-email.ts'
import type { Email } from '../../../domain/email.ts'
import type { Command } from '../command.ts'
import { JSON_OPTION } from '../command-words.ts'
import { parseEmailOperand } from '../email-operand.ts'
import { EXIT } from '../exit-codes.ts'

export const unlockCommand: Command<{ readonly email: Email }> = {
  name: 'unlock',
  summary: 'let an address try codes again after too many wrong ones',
  operands: ['EMAIL'],
  options: [JSON_OPTION],
  details: `Forgets the wrong codes that were tried for EMAIL, so that it need not wait until a day has passed,
and prints how many there were; 0 is no failure. How many mails it may get stays as it is.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  parse: (operands) => parseEmailOperand('unlock', operands),
  run: (context, { email }) => context.withStore((ports) => unlock({ ...context, ports, email })),
}

/** Forgets the wrong codes of an address, and says how many there were. */
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
  const forgotten = await unlockEmail(ports, email)
  if (json) print(JSON.stringify({ email, forgotten }))
  else if (forgotten === 0) print(`No wrong code counts against ${email}.`)
  else print(`Forgot ${forgotten} wrong ${forgotten === 1 ? 'code' : 'codes'} of ${email}.`)
  return EXIT.done
}
