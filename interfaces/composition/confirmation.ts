import { createInterface } from 'node:readline/promises'

/**
 * Whether to go on with what cannot be undone: asked at a terminal, where only a yes is one. Elsewhere, and where the
 * command line has said it already, nobody is asked.
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
