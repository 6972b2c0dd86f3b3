import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openHeldPipe } from '../../support/held-pipe.ts'

const LOGGER = join(import.meta.dir, '../../support/fixtures/line-logger.ts')
/** 2 MB: some thirty times what a pipe holds, and less than what may wait. */
const LINES = 20_000

/** The logger, at a pipe that is read when the test says so. */
function startLogger(lines: number, ending: string) {
  const pipe = openHeldPipe()
  const command = [process.execPath, LOGGER, `${lines}`, ending]
  const child = pipe.give((stdout) =>
    Bun.spawn(command, { env: {}, stdin: 'ignore', stdout, stderr: 'pipe' }),
  )
  const stderr = child.stderr.getReader()
  return {
    ...pipe,
    child,
    /** Resolves once all lines are logged, read or not. */
    async written() {
      let said = ''
      while (!said.includes('written\n')) {
        const { value, done } = await stderr.read()
        if (done) throw new Error(said)
        said += String(Buffer.from(value))
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      pipe[Symbol.dispose]()
    },
  }
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${from + index} ${'x'.repeat(90)}`)

const ENDINGS: readonly [string, number, readonly string[]][] = [
  ['return', 0, ['the end']],
  ['SIGTERM', 0, ['the end']],
  ['exit', 3, []],
  ['throw', 1, []],
]

test.each(ENDINGS)(
  'a log is whole that is read from the beginning, at an end by %s',
  async (ending, exitCode, last) => {
    await using logger = startLogger(LINES, ending)
    const written = logger.written().then(() => ending === 'SIGTERM' && logger.child.kill())
    await logger.readToTheEnd()
    await written
    expect(await logger.child.exited).toBe(exitCode)
    expect(logger.lines()).toEqual([...numbered(0, LINES), ...last, ''])
  },
)

test.each(ENDINGS)(
  'a log is whole that nobody reads before it is written, at an end by %s',
  async (ending, exitCode, last) => {
    await using logger = startLogger(LINES, ending)
    await logger.written()
    if (ending === 'SIGTERM') logger.child.kill()
    await logger.readToTheEnd()
    expect(await logger.child.exited).toBe(exitCode)
    expect(logger.lines()).toEqual([...numbered(0, LINES), ...last, ''])
  },
)

test.each(ENDINGS.filter(([ending]) => ending === 'return' || ending === 'exit'))(
  'a log that nobody ever reads holds up neither the process nor its end by %s',
  async (ending, exitCode) => {
    await using logger = startLogger(10 * LINES, ending)
    await logger.written()
    expect(await logger.child.exited).toBe(exitCode)
    await logger.readToTheEnd()
    const lines = logger.lines()
    // What the pipe holds. It cuts the last line off.
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.slice(0, -1)).toEqual(numbered(0, lines.length - 1))
  },
)

test('a log that is read too late says in their place how many lines are missing', async () => {
  await using logger = startLogger(10 * LINES, 'exit')
  await logger.written()
  await logger.readToTheEnd()
  const [, missing = ''] = /^lost ([0-9]+)$/.exec(logger.lines().at(-2) ?? '') ?? []
  expect(Number(missing)).toBeWithin(1, 10 * LINES)
  expect(logger.lines()).toEqual([
    ...numbered(0, 10 * LINES - Number(missing)),
    `lost ${missing}`,
    '',
  ])
})

test.each(ENDINGS)(
  'a process whose reader has gone goes on to its end by %s',
  async (ending, exitCode) => {
    await using logger = startLogger(LINES, ending)
    while (logger.lines().length < 2 && logger.read()) await Bun.sleep(1)
    logger.closeReader()
    await logger.written()
    if (ending === 'SIGTERM') logger.child.kill()
    expect(await logger.child.exited).toBe(exitCode)
  },
)
