import { type Email, findEmail } from '../../domain/email.ts'
import type { Command, UsageError } from './command.ts'
import type { StorePorts } from './command-context.ts'
import { type CommandWords, JSON_OPTION } from './command-words.ts'
import { EXIT } from './exit-codes.ts'
import { quoteForTerminal } from './quoting.ts'

/** What was done for an address, in words and as `--json` prints it: behind the address; null where text is JSON. */
type Answer = { readonly text: string; readonly report: object | null }

/** A command about one address that needs the database alone, prints one answer, and exits 0. */
export function emailCommand({
  answer,
  ...words
}: Pick<CommandWords, 'name' | 'summary' | 'details'> & {
  answer: (ports: StorePorts, email: Email) => Promise<Answer>
}): Command<{ readonly email: Email }> {
  return {
    ...words,
    operands: ['EMAIL'],
    options: [JSON_OPTION],
    parse: (operands) => parseEmailOperand(words.name, operands),
    run: ({ withStore, json, print }, { email }) =>
      withStore(async (ports) => {
        const { text, report } = await answer(ports, email)
        print(json && report ? JSON.stringify({ email, ...report }) : text)
        return EXIT.done
      }),
  }
}

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
