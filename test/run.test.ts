import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { until } from './support/executable/until.ts'
import { isRunning } from './support/processes.ts'
import { runAlibi } from './support/service/alibi-process.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const RUN = join(import.meta.dir, 'run.ts')

const PASSES = `test('passes', () => console.log('words of what passes'))`
const FAILS = `test('fails', () => { throw new Error('the reason why it fails') })`
const CRASHES = `test('crashes', () => process.kill(process.pid, 'SIGKILL'))`
const MISSES = `test('misses', () => console.log('not tested here: what takes a moon'))`

/** What runs a checkout of these test files, with the parameters. */
function checkout(files: Record<string, string>, ...parameters: readonly string[]) {
  const cwd = temporaryFolder()
  for (const [name, body] of Object.entries(files)) {
    const path = join(cwd, 'test', `${name}.test.ts`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `import { test } from 'bun:test'\n${body}\n`)
  }
  const { PATH = '' } = process.env
  return { command: [process.execPath, 'run', RUN, ...parameters], cwd, env: { PATH } }
}

async function run(files: Record<string, string>, ...parameters: readonly string[]) {
  const { exitCode, stdout, stderr } = await runAlibi(checkout(files, ...parameters))
  return { exitCode, stdout, stderr, closing: stdout.trimEnd().split('\n').at(-1) }
}

test('tests that pass are counted on the last line, and what they say is left out', async () => {
  const { exitCode, closing, stdout } = await run({ 'good/one': PASSES, 'fine/one': PASSES })
  expect([exitCode, closing]).toEqual([0, '2 passed, 0 failed'])
  expect(stdout).toContain('[  2/2]')
  expect(stdout).toMatch(/The slowest files:\n +\d+\.\d s {2}test\/\w+\/one/)
  expect(stdout).not.toContain('words of what passes')
})

test('all that a test says is printed for who asks for it', async () => {
  const { stdout } = await run({ one: PASSES }, '--loud')
  expect(stdout).toContain('words of what passes')
})

test('a test that fails makes the run fail, and is shown', async () => {
  const { exitCode, closing, stdout } = await run({ 'all/good': PASSES, 'all/bad': FAILS })
  expect([exitCode, closing]).toEqual([1, '1 passed, 1 failed'])
  expect(stdout).toContain('the reason why it fails')
  expect(stdout).toContain('Failed:\n  test/all/bad.test.ts\n')
})

test.each([
  ['a process that is brought down', CRASHES, 'ended with SIGKILL'],
  ['a process that ends too early', `process.exit(0)`, 'ended with 0'],
  ['a file that cannot be loaded', `import './missing.ts'`, 'Cannot find module'],
  ['an error outside of any test', `${PASSES}\nthrow new Error('stray')`, 'stray'],
])('%s makes the run fail, and no other file', async (_, body, reason) => {
  const { exitCode, closing, stdout } = await run({
    'all/bad': body,
    'all/good': PASSES,
    fine: PASSES,
  })
  expect(exitCode).toBe(1)
  expect(closing).toMatch(/^[23] passed, 1 failed$/)
  expect(stdout).toContain(reason)
  expect(stdout).toContain('  test/all/bad.test.ts\n')
})

test('what this machine has no means to test is printed once', async () => {
  const { exitCode, stdout } = await run({ one: MISSES, other: MISSES })
  expect(exitCode).toBe(0)
  expect(stdout.match(/not tested here: what takes a moon/g)).toHaveLength(1)
})

test('a file without a test for this machine is no failure', async () => {
  const { exitCode, closing } = await run({ none: `console.log('not tested here: it')` })
  expect([exitCode, closing]).toEqual([0, '0 passed, 0 failed'])
})

test('only the files at the paths are run, and a path without any is a mistake', async () => {
  expect((await run({ 'good/one': PASSES, 'bad/one': FAILS }, 'test/good')).closing).toBe(
    '1 passed, 0 failed',
  )
  const { exitCode, stderr } = await run({ 'good/one': PASSES }, 'test/godo')
  expect(exitCode).toBe(1)
  expect(stderr).toContain('no test file at test/godo')
})

test('a file that needs the machine for itself runs once all others are over', async () => {
  const marker = join(temporaryFolder(), 'ended')
  const { command, cwd, env } = checkout({
    'abuse/held-bodies': `test('runs last', async () => {
      if (!(await Bun.file(process.env.MARKER).exists())) throw new Error('beside another')
    })`,
    'slow/one': `test('takes a while', async () => {
      await Bun.sleep(500)
      await Bun.write(process.env.MARKER, 'x')
    })`,
  })
  // Nothing is built for a file that does not run it.
  const own = { ...env, MARKER: marker, TEST_EXECUTABLE: '/nowhere' }
  const { exitCode, stdout } = await runAlibi({ command, cwd, env: own })
  expect([exitCode, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, '2 passed, 0 failed'])
})

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a run that is interrupted by %s',
  (signal) => {
    const ENDLESS = `
    import { mkdtempSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'
    test('does not end', async () => {
      mkdtempSync(join(tmpdir(), 'made-by-a-test-'))
      const one = Bun.spawn(['sleep', '1000'])
      // It is asked to end by nobody, like a browser.
      const other = Bun.spawn(['sleep', '1000'], { detached: true })
      await Bun.write(process.env.PIDS, [process.pid, one.pid, other.pid].join(' '))
      await one.exited
    })`

    test('leaves no process and no folder, and says what ended it', async () => {
      const [scratch, pidFile] = [temporaryFolder(), join(temporaryFolder(), 'pids')]
      chmodSync(scratch, 0o755)
      const { command, cwd, env } = checkout({ endless: ENDLESS, next: PASSES })
      const child = Bun.spawn(command, {
        cwd,
        env: { ...env, TMPDIR: scratch, PIDS: pidFile, TEST_WORKERS: '1' },
        stdout: 'pipe',
      })
      await until('the test runs', () => existsSync(pidFile) && readFileSync(pidFile).length > 0)
      const pids = readFileSync(pidFile, 'utf8').split(' ').map(Number)
      expect(pids.filter(isRunning)).toEqual(pids)

      child.kill(signal)
      const output = await child.stdout.text()
      expect(await child.exited).toBe(128 + constants.signals[signal])
      expect(output).toBe(`\ninterrupted by ${signal}\n`)
      expect(pids.filter(isRunning)).toEqual([])
      expect(readdirSync(scratch)).toEqual([])
    })
  },
)
