import { revokePremium } from '../../../application/customers/revoke-premium.ts'
import type { Email } from '../../../domain/email.ts'
import type { Command } from '../command.ts'
import { JSON_OPTION } from '../command-words.ts'
import { parseEmailOperand } from '../email-operand.ts'
import { EXIT } from '../exit-codes.ts'

export const revokeCommand: Command<{ readonly email: Email }> = {
  name: 'revoke',
  summary: 'take premium away from an address',
  operands: ['EMAIL'],
  options: [JSON_OPTION],
  details: `Revokes every grant that EMAIL has now, bought or given, and prints how many; 0 is no failure. It
works from the next request on. No money moves: refund at the payment provider. A purchase that is
paid later gives premium again.
Needs no setting but DATABASE_URL, and works while the service runs.`,
  parse: (operands) => parseEmailOperand('revoke', operands),
  run: (context, { email }) => context.withStore((ports) => revoke({ ...context, ports, email })),
}

/** Revokes every grant that an address has now, and says how many that were. */
export async function revoke({
  ports,
  email,
  json,
  print,
}: {
  ports: Parameters<typeof revokePremium>[0]
  email: Email
  json: boolean
  print: (text: string) => void
}): Promise<number> {
  const revoked = await revokePremium(ports, email)
  if (json) print(JSON.stringify({ email, revoked }))
  else if (revoked === 0) print(`${email} has no grant that could be revoked.`)
  else print(`Revoked ${revoked} ${revoked === 1 ? 'grant' : 'grants'} of ${email}.`)
  return EXIT.done
}
