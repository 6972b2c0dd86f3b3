import { exportEmail } from '../../../application/customers/export-email.ts'
import type { Email } from '../../../domain/email.ts'
import type { Command } from '../command.ts'
import { JSON_OPTION } from '../command-words.ts'
import { parseEmailOperand } from '../email-operand.ts'
import { EXIT } from '../exit-codes.ts'

export const exportCommand: Command<{ readonly email: Email }> = {
  name: 'export',
  summary: 'print all that is known of an address',
  operands: ['EMAIL'],
  options: [JSON_OPTION],
  details: `Prints one JSON object with everything that the database holds about EMAIL: codes asked for and
tried, verification, log-outs, purchases, grants, refunds, disputes, messages and audit trail. An
address that nobody knows is no failure. Codes, tokens and keys are not in it.
Needs no setting but DATABASE_URL.`,
  parse: (operands) => parseEmailOperand('export', operands),
  run: (context, { email }) =>
    context.withStore((ports) => exportAll({ ...context, ports, email })),
}

/** Prints everything that is stored about an address, as JSON that people can read. */
export async function exportAll({
  ports,
  email,
  print,
}: {
  ports: Parameters<typeof exportEmail>[0]
  email: Email
  print: (text: string) => void
}): Promise<number> {
  print(JSON.stringify(await exportEmail(ports, email), null, 2))
  return EXIT.done
}
