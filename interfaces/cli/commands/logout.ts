import { logOut } from '../../../application/access/log-out.ts'
import type { Email } from '../../../domain/email.ts'
import type { Command } from '../command.ts'
import { JSON_OPTION } from '../command-words.ts'
import { parseEmailOperand } from '../email-operand.ts'
import { EXIT } from '../exit-codes.ts'

export const logoutCommand: Command<{ readonly email: Email }> = {
  name: 'logout',
  summary: 'end every token of an address',
  operands: ['EMAIL'],
  options: [JSON_OPTION],
  details: `Ends every token that EMAIL has, on every device, from the next request on. Premium stays: whoever
can read the mails of EMAIL logs in again with a new code.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  parse: (operands) => parseEmailOperand('logout', operands),
  run: (context, { email }) => context.withStore((ports) => logout({ ...context, ports, email })),
}

/** Ends every token of an address, also of one that has none. */
export async function logout({
  ports,
  email,
  json,
  print,
}: {
  ports: Parameters<typeof logOut>[0]
  email: Email
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  await logOut(ports, email)
  print(
    json
      ? JSON.stringify({ email, loggedOut: true })
      : `Whoever was logged in as ${email} no longer is.`,
  )
  return EXIT.done
}
