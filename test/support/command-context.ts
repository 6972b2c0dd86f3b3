import type { CommandContext } from '../../interfaces/cli/command-context.ts'

/** What a command finds around it in a test. Whatever else it asks for makes the test fail. */
export function commandContext(given: Partial<CommandContext>): CommandContext {
  return new Proxy(given as CommandContext, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name)
      throw new Error(`the command asks for ${String(name)}, which the test does not give`)
    },
  })
}
