import { type Email, findEmail } from '../../domain/email.ts'
import type { UsageError } from './command.ts'
import { quoteForTerminal } from './quoting.ts'

/** The address that a command is about, in any spelling. */
export function parseEmailOperand(
  command: string,
  [operand = '']: readonly string[],
): { readonly email: Email } | UsageError {
  const email = findEmail(operand)
  if (email !== null) return { email }
  return {
    usageError: `${command} needs an address such as anna@example.com, not ${quoteForTerminal(operand)}`,
  }
}
