import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { contentFolder, OWN_WORDS } from '../../support/content-folders.ts'

const ROOT = join(import.meta.dir, '../../..')

async function checkContent(folders: readonly string[]) {
  const command = [process.execPath, 'run', join(ROOT, 'test/check-content.ts'), ...folders]
  const child = Bun.spawn(command, { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exitCode: await child.exited, stdout, stderr }
}

test('the built-in content is counted language by language, and nothing is wrong with it', async () => {
  const { exitCode, stdout } = await checkContent([])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^ +ar +97 +300 +\d+ +\d+ +\d+$/m)
  expect(stdout).toEndWith('15 languages, 0 problems\n')
})

test('an operator’s own content passes with a slip of the pen in it, and not with a fault', async () => {
  using slip = contentFolder({ 'en.json': { strings: OWN_WORDS, reasons: ["It's late."] } })
  const passed = await checkContent([slip.folder])
  expect(passed.exitCode).toBe(0)
  expect(passed.stdout).toContain('warning: en.json:11 (en): a typewriter’s')

  using fault = contentFolder({ 'en.json': { strings: OWN_WORDS, reasons: [''] } })
  const failed = await checkContent([fault.folder])
  expect(failed.exitCode).toBe(1)
  expect(failed.stdout).toContain('error: en.json:11 (en): the text is empty')
})

test('a folder that is not there is told in one line', async () => {
  const { exitCode, stdout, stderr } = await checkContent(['/nowhere/at all'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
  expect(stdout.split('\n').slice(1)).toEqual([
    'error: the folder: it cannot be read (ENOENT)',
    '0 languages, 1 problems',
    '',
  ])
})
