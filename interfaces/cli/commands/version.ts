import type { Command } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { JSON_OPTION } from '../command-words.ts'
import { EXIT } from '../exit-codes.ts'

export const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  operands: [],
  options: [JSON_OPTION],
  details:
    'Prints the version; with --json also the commit that it was made from, and the runtime.',
  parse: () => ({}),
  run: (context) => version({ ...context, number: context.version }),
}

/** Says which version of Alibi this is, from which commit it was made, and on which runtime it stands. */
export function version({
  number,
  commit,
  json,
  print,
}: Pick<CommandContext, 'json' | 'print'> & {
  number: string
  /** `unknown` where it was not made from a repository. */
  commit: string
}): number {
  print(
    json
      ? JSON.stringify({ name: 'alibi', version: number, commit, bun: Bun.version })
      : `alibi ${number}`,
  )
  return EXIT.done
}
