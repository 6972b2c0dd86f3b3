import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { constants, getPriority } from 'node:os'
import { join } from 'node:path'
import { parseBackupName } from '../../../../domain/backup-schedule.ts'
import {
  backupFolder,
  findBackupFolderProblem,
  listBackups,
} from '../../../../infrastructure/sqlite/backups/backup-folder.ts'
import { until } from '../../../support/executable/until.ts'
import { NOON } from '../../../support/fakes.ts'
import { FROM_SOURCE } from '../../../support/service/alibi-process.ts'
import { countRows, modeOf, soldDatabase } from '../../../support/stores/sold-database.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const NAME = 'alibi-20260301T120000Z.db'
const running = new AbortController().signal

function open({ databasePath = soldDatabase(3).path, command = FROM_SOURCE } = {}) {
  const path = temporaryFolder()
  return { path, folder: backupFolder(path, { command, databasePath }) }
}

describe('the folder of the service’s own backups', () => {
  test('gets whole ones with their checksums, and lists them', async () => {
    const { path, folder } = open()
    const made = await folder.make(NOON, running)
    expect(made).toEqual({ name: NAME, at: NOON, bytes: expect.any(Number) })
    expect(countRows(join(path, NAME))).toBe(3)
    expect(readdirSync(path).toSorted()).toEqual([NAME, `${NAME}.sha256`])
    expect(await folder.list()).toEqual([made])
  })

  test('loses those that are removed, with their checksums, and nothing else', async () => {
    const { path, folder } = open()
    const made = await folder.make(NOON, running)
    for (const name of ['alibi-20260301T120000Z.db.old', 'notes.txt'])
      writeFileSync(join(path, name), '')
    await folder.remove(made)
    await folder.remove(made)
    expect(readdirSync(path).toSorted()).toEqual(['alibi-20260301T120000Z.db.old', 'notes.txt'])
  })

  test('lists only files that have the name of one, oldest first', () => {
    const folder = temporaryFolder()
    const names = [
      'alibi-20260302T120000Z.db',
      NAME,
      'alibi.db',
      `${NAME}.sha256`,
      'copy of alibi-20260301T120000Z.db',
      'alibi-20260301T1200Z.db',
    ]
    for (const name of names) writeFileSync(join(folder, name), 'x')
    mkdirSync(join(folder, 'alibi-20260303T120000Z.db'))
    symlinkSync(join(folder, NAME), join(folder, 'alibi-20260304T120000Z.db'))
    expect(listBackups(folder)).toEqual(
      [NAME, 'alibi-20260302T120000Z.db'].map((name) => ({
        name,
        at: parseBackupName(name)!,
        bytes: 1,
      })),
    )
  })

  test('gets nothing from a backup that fails, which says why', async () => {
    const { path, folder } = open({ databasePath: join(temporaryFolder(), 'none.db') })
    await expect(folder.make(NOON, running)).rejects.toThrow(/^there is no database at /)
    expect(readdirSync(path)).toEqual([])
  })

  test('does not overwrite one of the same second', async () => {
    const { folder } = open()
    await folder.make(NOON, running)
    await expect(folder.make(NOON, running)).rejects.toThrow('nothing is overwritten')
    expect((await folder.list()).length).toBe(1)
  })

  test('tells the process where the database is, and nothing else', async () => {
    const said = join(temporaryFolder(), 'said')
    const script = `require('fs').writeFileSync(${JSON.stringify(said)}, JSON.stringify([process.env, process.argv.slice(1)])); console.error('alibi: no'); process.exit(1)`
    const { path, folder } = open({
      databasePath: '/x/a.db',
      command: [process.execPath, '-e', script],
    })
    await expect(folder.make(NOON, running)).rejects.toThrow(/^no$/)
    expect(await Bun.file(said).json()).toEqual([
      { DATABASE_URL: 'sqlite:/x/a.db' },
      ['backup', join(path, NAME)],
    ])
  })

  test('is left alone when the service stops: the process, which gives way to it, is killed', async () => {
    const said = join(temporaryFolder(), 'said')
    const script = `require('fs').writeFileSync(${JSON.stringify(said)}, String(process.pid)); setInterval(() => {}, 1000)`
    const { folder } = open({ command: [process.execPath, '-e', script] })
    const stop = new AbortController()
    const making = folder.make(NOON, stop.signal)
    await until('the process runs', () => existsSync(said) && readFileSync(said, 'utf8') !== '')
    const pid = Number(await Bun.file(said).text())
    expect(getPriority(pid)).toBe(constants.priority.PRIORITY_LOW)
    stop.abort()
    await expect(making).rejects.toThrow('abort')
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    await expect(folder.make(NOON, stop.signal)).rejects.toThrow('abort')
  })
})

describe('a folder for backups', () => {
  const findProblem = (folder: string, databasePath = '/elsewhere/alibi.db') =>
    findBackupFolderProblem(folder, { databasePath })

  test('is made where only it is lacking, for its owner alone', () => {
    const parent = temporaryFolder()
    expect(findProblem(join(parent, 'backups'))).toBeNull()
    expect(findProblem(join(parent, 'backups'))).toBeNull()
    expect(modeOf(join(parent, 'backups'))).toBe('700')
    expect(readdirSync(join(parent, 'backups'))).toEqual([])
  })

  test('is a problem where its parent is lacking, or it is no folder', () => {
    const parent = temporaryFolder()
    expect(findProblem(join(parent, 'not', 'mounted'))).toBe('ENOENT')
    expect(readdirSync(parent)).toEqual([])
    writeFileSync(join(parent, 'file'), '')
    expect(findProblem(join(parent, 'file'))).toBe('ENOTDIR')
  })

  test('is made with the folder of the database around it, where that is lacking, too', () => {
    const state = join(temporaryFolder(), 'not', 'yet')
    expect(findProblem(join(state, 'backups'), join(state, 'alibi.db'))).toBeNull()
    expect(existsSync(join(state, 'backups'))).toBe(true)
  })
})
