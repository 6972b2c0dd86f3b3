import { createInterface } from 'node:readline/promises'

/**
 * Whether to go on with what cannot be undone. Asks at a terminal, where any answer but yes means no. Does not ask
 * elsewhere, nor where the command line has said yes already.
 */
export async function confirm(question: string, { yes }: { yes: boolean }): Promise<boolean> {
  if (yes || !process.stdin.isTTY) return true
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const given = Promise.withResolvers<string>()
  // The end of the input, or Ctrl-C, is no answer.
  terminal.once('close', () => given.resolve(''))
  void terminal.question(`${question} [y/N] `).then(given.resolve, () => given.resolve(''))
  const answer = await given.promise
  terminal.close()
  return /^y(?:es)?$/i.test(answer.trim())
}
