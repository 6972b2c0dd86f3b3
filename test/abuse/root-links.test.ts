import { describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  type ForeignState,
  give,
  isPlayable,
  OWNER,
  openForeignState,
  rootsFile,
} from '../support/executable/foreign-state.ts'
import { until } from '../support/executable/until.ts'
import { oldDatabase } from '../support/stores/sold-database.ts'

// The service's user has left links in its folder, and waits for root to run a command there.

/** Every command that opens the database, and what it needs beside. */
const COMMANDS: readonly (readonly string[])[] = [
  ['migrate'],
  ['status', 'anna@example.com'],
  ['grant', 'anna@example.com'],
  ['grants'],
  ['revoke', 'anna@example.com'],
  ['logout', 'anna@example.com'],
  ['unlock', 'anna@example.com'],
  ['export', 'anna@example.com'],
  ['erase', 'anna@example.com', '--yes'],
  ['purchases'],
  ['reconcile'],
  ['doctor', '--offline'],
  ['backup', 'copy.db'],
  ['restore', 'good.db', '--yes'],
]

/** A database that its owner has used, and a backup of it that only root may read. */
async function openUsed() {
  const state = await openForeignState()
  expect(await state.run(['migrate'])).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await state.run(['backup', 'good.db'])).toMatchObject({ exitCode: 0, stderr: '' })
  return state
}

/** The owner makes a link. */
function plant({ state }: ForeignState, name: string, target: string): void {
  const path = join(state, name)
  symlinkSync(target, path)
  give(path)
}

/** Runs all commands, one after the other, each to its end. */
async function runAll({ run }: ForeignState) {
  const outcomes = []
  for (const command of COMMANDS) outcomes.push({ command, ...(await run(command)) })
  return outcomes
}

if (isPlayable('links that the service’s user has left for root')) {
  describe('a link of the service’s user leads root to nothing', () => {
    test('in the place of the database: each command fails with one line', async () => {
      await using own = await openUsed()
      const secret = rootsFile(own.roots)
      renameSync(own.databasePath, join(own.state, 'away.db'))
      plant(own, 'alibi.db', secret.path)
      for (const { command, exitCode, stdout, stderr } of await runAll(own)) {
        const isDoctor = command[0] === 'doctor'
        expect({ command, exitCode }).toEqual({ command, exitCode: 1 })
        expect(stdout + stderr).not.toContain('only for root')
        if (!isDoctor) expect(stderr).toMatch(/^alibi: .*\n$/)
      }
      expect(await own.run(['serve'], { ...own.settings, PORT: '0' })).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/^alibi: .*link.*\n$/),
      })
      expect(secret.look()).toEqual(secret.before)
      expect(readdirSync(own.roots)).toEqual(['secret'])
    })

    test('in the place of the database, to a database of root’s: nothing of it is read or written', async () => {
      await using own = await openUsed()
      const database = rootsFile(own.roots, 'roots.db')
      copyFileSync(join(own.folder, 'good.db'), database.path)
      const before = database.look()
      renameSync(own.databasePath, join(own.state, 'away.db'))
      plant(own, 'alibi.db', database.path)
      for (const { exitCode } of await runAll(own)) expect(exitCode).toBe(1)
      expect(database.look()).toEqual(before)
      expect(readdirSync(own.roots)).toEqual(['roots.db'])
    })

    test.each(['-wal', '-shm', '-journal'])(
      'at the name of a file beside it: %s',
      async (suffix) => {
        await using own = await openUsed()
        const secret = rootsFile(own.roots)
        plant(own, `alibi.db${suffix}`, secret.path)
        await runAll(own)
        expect(secret.look()).toEqual(secret.before)
        expect(readdirSync(own.roots)).toEqual(['secret'])
      },
    )

    test.each(['alibi.db', 'alibi.db-wal', 'alibi.db-shm', 'alibi.db-journal'])(
      'to a name that is not there: %s',
      async (name) => {
        await using own = await openUsed()
        if (name === 'alibi.db') renameSync(own.databasePath, join(own.state, 'away.db'))
        plant(own, name, join(own.roots, 'not-yet'))
        await runAll(own)
        expect(readdirSync(own.roots)).toEqual([])
      },
    )

    test('in the place of its folder, or above it', async () => {
      await using own = await openUsed()
      mkdirSync(join(own.roots, 'below'))
      for (const [name, target] of [
        ['link', own.roots],
        ['other', '..'],
      ] as const) {
        plant(own, name, target)
        const below = name === 'link' ? 'below' : 'of-root/below'
        const env = { ...own.settings, DATABASE_URL: `sqlite:${own.state}/${name}/${below}/new.db` }
        const outcome = await own.run(['migrate'], env)
        expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
        expect(outcome.stderr).toMatch(/^alibi: .*leads through the link .* of user 61234.*\n$/)
      }
      expect(readdirSync(join(own.roots, 'below'))).toEqual([])
    })

    test('at the names of copies and of what a restore keeps', async () => {
      await using own = await openUsed()
      const secret = rootsFile(own.roots)
      copyFileSync(oldDatabase().path, own.databasePath)
      for (const name of ['0002_payments', '0003_verification_challenge']) {
        plant(own, `alibi.db.before-${name}`, secret.path)
      }
      expect(await own.run(['migrate'])).toMatchObject({ exitCode: 0, stderr: '' })
      expect(await own.run(['restore', 'good.db', '--yes'])).toMatchObject({ exitCode: 0 })
      expect(secret.look()).toEqual(secret.before)
      for (const name of readdirSync(own.state)) {
        expect({ name, uid: lstatSync(join(own.state, name)).uid }).toEqual({ name, uid: OWNER })
      }
    })

    test('at the name of a work folder, and of the lock in one', async () => {
      await using own = await openUsed()
      mkdirSync(join(own.roots, 'full'))
      const secret = rootsFile(join(own.roots, 'full'))
      plant(own, '.alibi-work-aaaaaa', join(own.roots, 'full'))
      mkdirSync(join(own.state, '.alibi-work-bbbbbb'))
      give(join(own.state, '.alibi-work-bbbbbb'))
      plant(own, '.alibi-work-bbbbbb/lock', secret.path)
      plant(own, '.alibi-work-bbbbbb/copy.db', secret.path)
      utimesSync(join(own.state, '.alibi-work-bbbbbb'), 0, 0)
      await runAll(own)
      expect(secret.look()).toEqual(secret.before)
      expect(readdirSync(join(own.roots, 'full'))).toEqual(['secret'])
    })

    test('in the place of the folder of backups: the service makes none there, nor does root', async () => {
      await using own = await openUsed()
      plant(own, 'backups', own.roots)
      const file = join(own.state, 'backups', 'copy.db')
      const backup = await own.run(['backup', file])
      expect(backup).toMatchObject({ exitCode: 1, stdout: '' })
      expect(backup.stderr).toMatch(/^alibi: .*\n$/)
      const env = { ...own.settings, PORT: '0', BACKUP_DIR: join(own.state, 'backups') }
      const serve = await own.run(['serve'], env)
      expect(serve).toMatchObject({ exitCode: 78, stdout: '' })
      expect(serve.stderr).toMatch(/^alibi: BACKUP_DIR .*\(EACCES\)\n$/)
      expect(readdirSync(own.roots)).toEqual([])
    })

    test('in the place of a folder with content of the operator’s own', async () => {
      await using own = await openUsed()
      const texts = rootsFile(own.roots, 'en.json', 'only for root')
      plant(own, 'content', own.roots)
      const env = { ...own.settings, PORT: '0', CONTENT_DIR: join(own.state, 'content') }
      for (const command of [['serve'], ['doctor', '--offline']]) {
        const { exitCode, stdout, stderr } = await own.run(command, env)
        expect(exitCode).toBe(78)
        expect(stdout + stderr).toMatch(/CONTENT_DIR: en\.json.*EACCES/)
      }
      expect(texts.look()).toEqual(texts.before)
    })

    test('as the backup to restore: neither what is in it nor its checksum is read', async () => {
      await using own = await openUsed()
      const good = rootsFile(own.roots, 'good.db')
      copyFileSync(join(own.folder, 'good.db'), good.path)
      plant(own, 'backup.db', good.path)
      const restored = await own.run(['restore', join(own.state, 'backup.db'), '--yes'])
      expect(restored).toMatchObject({ exitCode: 1, stdout: '' })
      expect(restored.stderr).toMatch(/^alibi: .*\n$/)
      expect(readdirSync(own.state).filter((name) => name.includes('before-restore'))).toEqual([])
    })
  })

  test('a link of that user outside the folder does not lead root to what is root’s, either', async () => {
    await using own = await openUsed()
    const theirs = join(own.folder, 'theirs')
    mkdirSync(theirs)
    give(theirs)
    const link = join(theirs, 'link')
    symlinkSync(own.roots, link)
    give(link)
    copyFileSync(join(own.folder, 'good.db'), join(own.roots, 'roots.db'))
    for (const command of [
      ['backup', join(link, 'copy.db')],
      ['restore', join(link, 'roots.db'), '--yes'],
    ]) {
      const { exitCode, stderr } = await own.run(command)
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(/^alibi: .* leads through the link .* of user 61234 .*\n$/)
    }
    expect(readdirSync(own.roots)).toEqual(['roots.db'])
    // In a folder of that user, root's backup is root's.
    expect(await own.run(['backup', join(theirs, 'copy.db')])).toMatchObject({ exitCode: 0 })
    expect(lstatSync(join(theirs, 'copy.db'))).toMatchObject({ uid: 0, mode: 0o100600 })
  })

  describe('what is done as root belongs to the owner of the folder:', () => {
    test('a new database, its copies, and what a service leaves that root has started', async () => {
      await using own = await openForeignState()
      const backups = join(own.state, 'backups')
      const alibi = await own.start({ env: { ...own.settings, BACKUP_DIR: backups } })
      expect(await own.run(['grant', 'anna@example.com'])).toMatchObject({ exitCode: 0 })
      // A process of its own makes the copy, also after the service is gone.
      await until('there is a backup, and nothing half made beside it', () => {
        const made = readdirSync(backups).sort()
        return made.length === 2 && made[1] === `${made[0]}.sha256`
      })
      await alibi.stop('SIGKILL')
      const names = readdirSync(own.state, { recursive: true }).map(String)
      for (const name of names.filter((one) => !/-(?:wal|shm)$/.test(one))) {
        const { uid, gid } = lstatSync(join(own.state, name))
        expect({ name, uid, gid }).toEqual({ name, uid: OWNER, gid: OWNER })
      }
    })
  })
}
