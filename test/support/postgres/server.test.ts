import { expect, onTestFinished, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../executable/until.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { EVERY_POSTGRES, hasPostgres } from './binaries.ts'
import { query } from './query.ts'
import { startServer, superuserUrl } from './server.ts'

const START = join(import.meta.dir, '../fixtures/start-postgres.ts')

/** Starts one in a process of its own, which ends with the test. */
async function startElsewhere(env: Record<string, string>) {
  const { PATH = '' } = process.env
  const child = Bun.spawn([process.execPath, 'run', START], {
    env: { PATH, ...env },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  onTestFinished(() => child.kill('SIGKILL'))
  const words = await child.stdout.getReader().read()
  const { port, folder } = JSON.parse(new TextDecoder().decode(words.value))
  const reach = () =>
    query(superuserUrl({ port, superuserPassword: 'wrong' }, 'postgres'), 'SELECT 1')
  // It asks for the password, so it is there.
  await expect(reach()).rejects.toMatchObject({ code: '28P01' })
  return { child, folder, reach }
}

if (hasPostgres()) {
  test.each(EVERY_POSTGRES)(
    'the server of %s is gone with the process that started it',
    async (bin) => {
      const { child, folder, reach } = await startElsewhere({ TEST_POSTGRES_BIN: bin })
      child.kill('SIGKILL')
      await until('the folder is gone', () => !existsSync(folder))
      await expect(reach()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    },
  )

  test('a server runs although TMPDIR is a folder that others may not enter', async () => {
    const closed = temporaryFolder()
    expect(statSync(closed).mode & 0o777).toBe(0o700)
    await startElsewhere({ TMPDIR: closed })
  })

  test('a server that is disposed of leaves nothing', async () => {
    const { folder, [Symbol.asyncDispose]: dispose } = await startServer()
    await dispose()
    expect(existsSync(folder)).toBe(false)
  })
}
