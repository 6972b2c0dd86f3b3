import type { Production } from './production.ts'
import { until } from './until.ts'

/** Runs a command at a terminal, where a person types something once they are asked, after what happens meanwhile. */
export async function runAtTerminal(
  { executable, folder, settings }: Pick<Production, 'executable' | 'folder' | 'settings'>,
  parameters: readonly string[],
  typed: string,
  whileItWaits: () => void = () => {},
): Promise<{ exitCode: number; shown: string }> {
  let shown = ''
  const decoder = new TextDecoder()
  const closed = Promise.withResolvers<void>()
  const child = Bun.spawn([executable, ...parameters], {
    cwd: folder,
    env: settings,
    terminal: {
      data(_: unknown, chunk: Uint8Array) {
        shown += decoder.decode(chunk, { stream: true })
      },
      exit: () => closed.resolve(),
    },
  })
  await until('it asks or ends', () => shown.includes('[y/N]') || child.exitCode !== null)
  whileItWaits()
  if (child.exitCode === null) child.terminal?.write(typed)
  const exitCode = await child.exited
  // What it has written last may come after its end.
  await closed.promise
  child.terminal?.close()
  return { exitCode, shown }
}
