import { Interrupted, type Terminal } from '../cli/setup/setup-context.ts'

const CTRL_C = '\x03'
const CTRL_D = '\x04'
const CTRL_U = '\x15'
const ENTER = ['\r', '\n']
const BACKSPACE = ['\x7f', '\b']
/** What arrow keys and the like send (ECMA-48), and the beginning and the end of what is pasted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal sends them
const ESCAPE_SEQUENCE = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.)/g

/**
 * The terminal of this process; null where there is none. Until it is closed the terminal itself shows nothing of what
 * is typed, so that a secret that is typed or pasted too early is not seen either.
 */
export function openTerminal(): Terminal | null {
  const { stdin, stderr } = process
  if (!stdin.isTTY || !stderr.isTTY) return null
  const decoder = new TextDecoder()
  const interrupted = Promise.withResolvers<never>()
  // Nobody may be waiting for it.
  interrupted.promise.catch(() => {})
  let typed = ''
  let question: { isSecret: boolean; line: string; resolve: (line: string) => void } | null = null

  function take(): void {
    while (question && typed !== '') {
      const [character = ''] = typed
      typed = typed.slice(character.length)
      if (character === CTRL_D && question.line === '') {
        interrupt()
        return
      }
      if (ENTER.includes(character)) {
        stderr.write('\n')
        const { resolve, line } = question
        question = null
        resolve(line.trim())
      } else if (BACKSPACE.includes(character)) erase(1)
      else if (character === CTRL_U) erase([...question.line].length)
      else if (!/\p{Cc}/u.test(character)) {
        question.line += character
        if (!question.isSecret) stderr.write(character)
      }
    }
  }

  function erase(count: number): void {
    if (!question) return
    const characters = [...question.line]
    const erased = Math.min(count, characters.length)
    question.line = characters.slice(0, characters.length - erased).join('')
    if (!question.isSecret) stderr.write('\b \b'.repeat(erased))
  }

  function interrupt(): void {
    typed = ''
    interrupted.reject(new Interrupted('interrupted'))
  }

  function receive(chunk: Uint8Array): void {
    const text = decoder.decode(chunk, { stream: true }).replace(ESCAPE_SEQUENCE, '')
    if (text.includes(CTRL_C)) interrupt()
    else {
      typed += text
      take()
    }
  }

  const restore = () => void stdin.setRawMode(false)
  stdin.setRawMode(true)
  stdin.on('data', receive)
  stdin.on('end', interrupt)
  stdin.resume()
  process.on('exit', restore)

  return {
    ask(prompt, { isSecret }) {
      stderr.write(prompt)
      const answered = Promise.withResolvers<string>()
      question = { isSecret, line: '', resolve: answered.resolve }
      take()
      return Promise.race([answered.promise, interrupted.promise])
    },
    interrupted: interrupted.promise,
    close() {
      stdin.off('data', receive)
      stdin.off('end', interrupt)
      stdin.pause()
      restore()
      process.off('exit', restore)
    },
  }
}
