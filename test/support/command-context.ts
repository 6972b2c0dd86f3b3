import type { Email } from '../../domain/email.ts'
import type { Command } from '../../interfaces/cli/command.ts'
import type { CommandContext, StorePorts } from '../../interfaces/cli/command-context.ts'

/** What a command finds around it in a test. Whatever else it asks for makes the test fail. */
export function commandContext(given: Partial<CommandContext>): CommandContext {
  return new Proxy(given as CommandContext, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name)
      throw new Error(`the command asks for ${String(name)}, which the test does not give`)
    },
  })
}

/** Runs a command about an address on what is stored. Resolves with the exit code. */
export async function runOnStore(
  command: Command<{ readonly email: Email }>,
  {
    ports,
    email,
    ...output
  }: Pick<CommandContext, 'json' | 'print'> & { ports: StorePorts; email: Email },
): Promise<number> {
  return command.run(commandContext({ ...output, withStore: (work) => work(ports) }), { email })
}
