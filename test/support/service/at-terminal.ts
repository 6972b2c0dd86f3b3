import { until } from '../executable/until.ts'

/** Runs a command at a terminal, below a shell that shows afterwards how the terminal was left. */
export function openTerminal(
  command: readonly string[],
  {
    cwd,
    wrap = (inner) => inner,
  }: {
    cwd?: string
    /** Puts before a command what brings it elsewhere, together with its terminal. */
    wrap?: (command: readonly string[]) => readonly string[]
  } = {},
) {
  let shown = ''
  const decoder = new TextDecoder()
  const script = 'trap : INT; "$@"; echo "exit code $?"; stty -a'
  const child = Bun.spawn([...wrap(['sh', '-c', script, 'sh', ...command])], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb' },
    terminal: {
      data(_: unknown, chunk: Uint8Array) {
        shown += decoder.decode(chunk, { stream: true })
      },
    },
  })
  return {
    shown: () => shown,
    /** Waits for the question, and types an answer to it. */
    async answer(question: string, typed: string) {
      await until(`it asks: ${question}`, () => {
        if (child.exitCode !== null) throw new Error(`it has ended:\n${shown}`)
        return shown.includes(question)
      })
      child.terminal?.write(typed)
    },
    signal: (name: NodeJS.Signals) => child.kill(name),
    async ended() {
      await child.exited
      await until('all is shown', () => shown.includes('min = '))
      child.terminal?.close()
      return {
        exitCode: Number(/exit code (\d+)/.exec(shown)?.[1]),
        echoes: / echo /.test(shown.replaceAll(/\s+/g, ' ')),
        // What a terminal acts on, but for the ends of lines, and for what erases a character or the line.
        controls:
          shown
            .replaceAll('\b \b', '')
            .replaceAll('\x1b[K', '')
            .match(/(?![\r\n])\p{Cc}/gu) ?? [],
      }
    },
  }
}
