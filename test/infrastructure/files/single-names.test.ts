import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../support/executable/until.ts'
import { FROM_SOURCE, runAlibi, startAlibi } from '../../support/service/alibi-process.ts'
import {
  addRows,
  bytesOf,
  countRows,
  oldDatabase,
  soldDatabase,
} from '../../support/stores/sold-database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// FAT, exFAT, many SMB, FUSE and shared folders of virtual machines give a file one name only.

const ROOT = join(import.meta.dir, '../../..')
const [BUN = '', RUN = '', SOURCE = ''] = FROM_SOURCE
const PRELOAD = ['--preload', join(ROOT, 'test/support/fixtures/single-names.ts')]
const ALIBI = [BUN, RUN, ...PRELOAD, SOURCE]

/** Runs a program, which names modules from the root. Returns what it prints. */
async function runScript(script: string, ...parameters: string[]): Promise<string> {
  const command = [BUN, ...PRELOAD, '-e', script, ...parameters]
  const { exitCode, stdout, stderr } = await runAlibi({ command, cwd: ROOT })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout.trim()
}

function runOn({ folder, path }: { folder: string; path: string }) {
  return (...parameters: string[]) =>
    runAlibi({
      command: [...ALIBI, ...parameters],
      cwd: folder,
      env: { DATABASE_URL: `sqlite:${path}` },
    })
}

const namesLike = (folder: string, part: string) =>
  readdirSync(folder)
    .filter((name) => name.includes(part))
    .toSorted()

test('no file gets a second name in these tests', async () => {
  const folder = temporaryFolder()
  const script = `
    const { linkSync, writeFileSync } = require('node:fs')
    const [folder] = process.argv.slice(-1)
    writeFileSync(folder + '/one', '')
    try { linkSync(folder + '/one', folder + '/two') } catch ({ code }) { console.log(code) }`
  expect(await runScript(script, folder)).toBe('EPERM')
})

test('a database is backed up and restored, and its old state is kept', async () => {
  const database = soldDatabase(3)
  const { folder, path } = database
  const run = runOn(database)
  expect(await run('backup', 'good.db')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(namesLike(folder, 'good')).toEqual(['good.db', 'good.db.sha256'])
  expect(await run('backup', 'good.db')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('is there already, and nothing is overwritten'),
  })

  addRows(path, 2)
  expect(await run('restore', 'good.db', '--yes')).toMatchObject({ exitCode: 0, stderr: '' })
  const [kept = ''] = namesLike(folder, 'before-restore')
  expect([countRows(path), countRows(join(folder, kept))]).toEqual([3, 5])

  rmSync(path)
  expect(await run('restore', kept, '--yes')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(countRows(path)).toBe(5)
  expect(namesLike(folder, '.alibi-')).toEqual([])
})

test('no other process gets the database while its old state is copied', async () => {
  const { folder, path } = soldDatabase(3)
  const file = join(folder, 'good.db')
  await runOn({ folder, path })('backup', file)
  const opens = `
    const client = new (require('bun:sqlite').Database)(${JSON.stringify(path)})
    try { client.run('BEGIN IMMEDIATE') } catch ({ code }) { console.log(code) }`
  const restore = `
    const { prepareRestore } = await import('./infrastructure/sqlite/backups/restore.ts')
    const [databasePath, file] = process.argv.slice(-2)
    const onStep = (step) => {
      if (step !== 'putting the backup in its place') return
      console.log(Bun.spawnSync([process.execPath, '-e', ${JSON.stringify(opens)}]).stdout.toString())
    }
    const prepared = prepareRestore({ databasePath, file, onStep })
    prepared.carryOut(new Date('2026-03-01T12:00:00.000Z'))
    prepared.end()`
  expect(await runScript(restore, path, file)).toBe('SQLITE_BUSY')
})

test('a damaged database, which cannot be locked there, is left as it is, and the way out is told', async () => {
  const database = soldDatabase(3)
  const { folder, path } = database
  const run = runOn(database)
  await run('backup', 'good.db')
  writeFileSync(path, 'no database'.repeat(1000))
  const before = bytesOf(path)
  expect(await run('restore', 'good.db', '--yes')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /its file system cannot give a file a second name \(hard link\)\. Stop the service, move the file away/,
    ),
  })
  expect(bytesOf(path)).toBe(before)
  expect(readdirSync(folder).toSorted()).toEqual(['alibi.db', 'good.db', 'good.db.sha256'])
})

test('a database of an earlier release is copied before it is migrated', async () => {
  const database = oldDatabase()
  expect(await runOn(database)('migrate')).toMatchObject({ exitCode: 0, stderr: '' })
  const [copy = ''] = namesLike(database.folder, '.before-')
  expect(countRows(join(database.folder, copy))).toBe(1)
})

test('development mode starts, keeps its secret, and makes its own backups', async () => {
  const folder = temporaryFolder()
  const backups = join(folder, 'backups')
  const env = { APP_ENV: 'development', BACKUP_DIR: backups }
  const secret = () => readFileSync(join(folder, 'data/jwt-secret'), 'utf8')
  const first = await startAlibi({ command: ALIBI, cwd: folder, env })
  const made = secret()
  await until('there is a backup', () => namesLike(backups, '.sha256').length === 1)
  expect(await first.stop()).toBe(0)

  const second = await startAlibi({ command: ALIBI, cwd: folder, env })
  expect(secret()).toBe(made)
  expect(await second.stop()).toBe(0)
  expect(namesLike(join(folder, 'data'), 'jwt-secret')).toEqual(['jwt-secret'])
})

test('the service is installed and upgraded, and the executable before stays', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'root'))
  const script = `
    const { installService } = await import('./infrastructure/systemd/install-service.ts')
    const { writeFileSync } = require('node:fs')
    const [folder] = process.argv.slice(-1)
    const [root, executable] = [folder + '/root', folder + '/alibi']
    const order = { root, executable, completion: '# completion', systemctl: null }
    for (const version of ['version 1', 'version 2']) {
      writeFileSync(executable, version)
      await installService(order)
    }`
  await runScript(script, folder)
  const installed = (name: string) => readFileSync(join(folder, 'root/usr/local/bin', name), 'utf8')
  expect([installed('alibi'), installed('alibi.previous')]).toEqual(['version 2', 'version 1'])
})

test('a new database to carry data into gets its name', async () => {
  const folder = temporaryFolder()
  const script = `
    const { openSqliteTarget } = await import('./infrastructure/sqlite/data-migration/sqlite-target.ts')
    const [path] = process.argv.slice(-1)
    openSqliteTarget(path).commit()`
  await runScript(script, join(folder, 'alibi.db'))
  expect(readdirSync(folder)).toEqual(['alibi.db'])
  expect(countRows(join(folder, 'alibi.db'))).toBe(0)
})
