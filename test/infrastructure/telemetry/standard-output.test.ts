import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openHeldPipe } from '../../support/held-pipe.ts'

const LOGGER = join(import.meta.dir, '../../support/fixtures/line-logger.ts')
/** 300 kB: some times what a pipe holds, so that they are read in far less than the time that an end waits. */
const LINES = 3000
/** 20 MB: more than twice what may wait. */
const FLOOD = 200_000
/** 7 MB: most of what may wait. */
const MOST = 75_000

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
  await using logger = startLogger(FLOOD, 'SIGTERM')
  await logger.written()
  while (logger.lines().length < MOST) {
    for (let reads = 0; reads < 50; reads++) {
      logger.read()
      await Bun.sleep(1)
    }
  }
  logger.child.kill()
  await logger.readToTheEnd()
  const [, missing = ''] = /^lost ([0-9]+)$/.exec(logger.lines().at(-3) ?? '') ?? []
  expect(Number(missing)).toBeWithin(1, FLOOD)
  expect(logger.lines()).toEqual([
    ...numbered(0, FLOOD - Number(missing)),
    `lost ${missing}`,
    'the end',
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
