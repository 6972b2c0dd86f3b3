import type { CommandContext } from './command-context.ts'
import type { CommandWords, OptionValues } from './command-words.ts'

/** One thing that the command line can do: what it is called, takes and says, and how it is run. */
export type Command<Asked extends object = object> = CommandWords & {
  /** The command goes on when nothing reads its output any more. The other commands end then. */
  readonly outlivesItsReader?: true
  /** The command reads and writes the settings file by itself: it may not be there yet. */
  readonly writesSettings?: true
  /** The meaning of the operands, which are as many as the words name, and of its options. */
  parse(operands: readonly string[], values: OptionValues): Asked | UsageError
  /** Does what was asked. Resolves with the exit code; throws what ends it early. */
  run(context: CommandContext, asked: Asked): number | Promise<number>
}

/** What is wrong with a command line. */
export type UsageError = { readonly usageError: string }

/** Commands that belong together. Help is one of them, and the command line itself answers it. */
export type CommandGroup = {
  readonly title: string
  readonly commands: readonly (Command | CommandWords)[]
}
