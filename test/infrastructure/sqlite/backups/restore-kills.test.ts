import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { backUpDatabase } from '../../../../infrastructure/sqlite/backups/backup.ts'
import { prepareRestore } from '../../../../infrastructure/sqlite/backups/restore.ts'
import { NOON } from '../../../support/fakes.ts'
import { addRows, countRows, soldDatabase } from '../../../support/stores/sold-database.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const FIXTURE = join(import.meta.dir, '../../../support/fixtures/killed-restore.ts')
const STEPS = [
  'copying',
  'checking',
  'locking',
  'folding the log in',
  'keeping the old database',
  'clearing its log away',
  'putting the backup in its place',
  'done',
]

/** A database with six rows, one of them in a log that a killed service has left, and a backup of it with three. */
function open() {
  const { path, folder } = soldDatabase(3)
  const file = join(temporaryFolder(), 'backup.db')
  backUpDatabase({ databasePath: path, file })
  addRows(path, 2)
  const client = new Database(path)
  client.run("INSERT INTO log_outs VALUES ('in.the.log@example.com', 1)")
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, `${path}.left${suffix}`)
  client.close(true)
  for (const suffix of ['', '-wal']) renameSync(`${path}.left${suffix}`, path + suffix)
  return { path, folder, file }
}

async function run(path: string, file: string, killedAt: number) {
  const child = Bun.spawn([process.execPath, FIXTURE, path, file, String(killedAt)], {
    stdout: 'pipe',
    env: {},
  })
  const steps = await new Response(child.stdout).text()
  await child.exited
  return { signal: child.signalCode, steps }
}

test('it is killed before every step it takes', async () => {
  const { path, file } = open()
  const { signal, steps } = await run(path, file, STEPS.length)
  expect(signal).toBeNull()
  expect(JSON.parse(steps)).toEqual(STEPS)
  expect(countRows(path)).toBe(3)
})

test.each(STEPS.map((step, number) => [step, number] as const))(
  'a restore that is killed when it comes to "%s" leaves the old database or the new one, whole',
  async (step, number) => {
    const { path, folder, file } = open()
    expect((await run(path, file, number)).signal).toBe('SIGKILL')

    expect(countRows(path)).toBe(step === 'done' ? 3 : 6)
    // The next one finds no obstacle, and takes away what the killed one has left.
    const prepared = prepareRestore({ databasePath: path, file })
    prepared.carryOut(NOON)
    prepared.end()
    expect(countRows(path)).toBe(3)
    const names = readdirSync(folder)
    expect(names.filter((name) => !/^alibi\.db(?:\.before-restore-[^-]*)?$/.test(name))).toEqual([])
    const kept = names.filter((name) => name !== 'alibi.db').map((name) => join(folder, name))
    expect(Math.max(...kept.map(countRows))).toBe(6)
  },
)
