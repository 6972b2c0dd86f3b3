import { grantPremium } from '../../../application/customers/grant-premium.ts'
import type { Email } from '../../../domain/email.ts'
import type { Command } from '../command.ts'
import { JSON_OPTION } from '../command-words.ts'
import { parseEmailOperand } from '../email-operand.ts'
import { EXIT } from '../exit-codes.ts'

export const grantCommand: Command<{ readonly email: Email }> = {
  name: 'grant',
  summary: 'give an address premium by your word',
  operands: ['EMAIL'],
  options: [JSON_OPTION],
  details: `Gives EMAIL premium without a payment, until it is revoked. An address that has such a grant already
gets no second one; the line that is printed says so, and the exit code is 0 all the same.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  parse: (operands) => parseEmailOperand('grant', operands),
  run: (context, { email }) => context.withStore((ports) => grant({ ...context, ports, email })),
}

/** Gives an address premium by the operator's word, once, and says whether that was needed. */
export async function grant({
  ports,
  email,
  json,
  print,
}: {
  ports: Parameters<typeof grantPremium>[0]
  email: Email
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  const added = await grantPremium(ports, email)
  if (json) print(JSON.stringify({ email, added }))
  else if (added) print(`${email} has premium by your word until it is revoked.`)
  else print(`${email} has premium by an operator's word already; nothing was added.`)
  return EXIT.done
}
