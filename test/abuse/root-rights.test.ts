import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
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
import { openProduction } from '../support/executable/production.ts'
import { runAtTerminal } from '../support/executable/terminal.ts'
import { until } from '../support/executable/until.ts'
import { runAlibi } from '../support/service/alibi-process.ts'
import { countRows } from '../support/stores/sold-database.ts'

// With whose rights root's commands use which file: in the state folder those of its owner, elsewhere those of root.

const DONE = { exitCode: 0, stderr: '' }
const EMAIL = 'anna@example.com'
const ENGLISH_CONTENT = join(import.meta.dir, '../../infrastructure/content/en.json')

const owners = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => lstatSync(join(folder, name)).uid !== OWNER)

async function hasPremium({ run }: ForeignState): Promise<boolean> {
  const { stdout } = await run(['status', EMAIL, '--json'])
  return JSON.parse(stdout).hasPremium
}

/** As systemd has it: root alone may enter the folder in which the real one is, and a link leads there. */
async function openPrivate() {
  const own = await openForeignState()
  const closed = join(own.folder, 'private')
  mkdirSync(closed, { mode: 0o700 })
  renameSync(own.state, join(closed, 'alibi'))
  symlinkSync('private/alibi', own.state)
  return { ...own, closed }
}

/** Puts a folder of the owner's own in the place of the one in which root's restore works. */
function swapWorkFolder({ state }: ForeignState, secret: string): void {
  const name = readdirSync(state).find((one) => one.startsWith('.alibi-work-'))
  if (name === undefined) throw new Error('no work folder')
  renameSync(join(state, name), join(state, 'aside'))
  mkdirSync(join(state, name))
  symlinkSync(secret, join(state, name, 'candidate.db'))
  for (const path of [name, `${name}/candidate.db`]) give(join(state, path))
}

if (isPlayable('whose rights root’s commands use')) {
  describe('what root reads and writes', () => {
    test('while a restore asks, the owner puts a link in the place of what it has checked', async () => {
      await using own = await openForeignState()
      expect(await own.run(['migrate'])).toMatchObject(DONE)
      expect(await own.run(['backup', 'good.db'])).toMatchObject(DONE)
      const secret = rootsFile(own.roots)
      const swap = () => swapWorkFolder(own, secret.path)
      const { shown } = await runAtTerminal(own, ['restore', 'good.db'], 'y\r', swap)
      expect(shown).toContain('[y/N]')
      expect(secret.look()).toEqual(secret.before)
    })

    test('a restore at a terminal reads the answer', async () => {
      await using own = await openForeignState()
      await own.run(['migrate'])
      expect(await own.run(['backup', 'good.db'])).toMatchObject(DONE)
      const { exitCode } = await runAtTerminal(own, ['restore', 'good.db'], 'y\r')
      expect(exitCode).toBe(0)
      expect(owners(own.state)).toEqual([])
    })

    test('a backup that only root may read is restored, and a backup is root’s', async () => {
      await using own = await openForeignState()
      const closed = join(own.roots, 'closed')
      mkdirSync(closed, { mode: 0o700 })
      const file = join(closed, 'backup.db')
      await own.run(['migrate'])
      await own.run(['grant', EMAIL])
      expect(await own.run(['backup', file])).toMatchObject(DONE)
      expect(readdirSync(closed).toSorted()).toEqual(['backup.db', 'backup.db.sha256'])
      for (const path of [file, `${file}.sha256`]) {
        expect(lstatSync(path)).toMatchObject({ uid: 0, gid: 0, mode: 0o100600 })
      }
      const check = Bun.spawnSync(['sha256sum', '--check', 'backup.db.sha256'], { cwd: closed })
      expect(check.exitCode).toBe(0)
      expect(await own.run(['backup', file])).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `alibi: ${file} is there already, and nothing is overwritten\n`,
      })

      await own.run(['revoke', EMAIL])
      const restored = await own.run(['restore', file, '--json'])
      expect(restored).toMatchObject(DONE)
      expect(JSON.parse(restored.stdout)).toMatchObject({ restored: file, hadChecksum: true })
      expect(await hasPremium(own)).toBe(true)
      expect(owners(own.state)).toEqual([])
      expect(statSync(own.databasePath).mode & 0o777).toBe(0o600)
      expect(readdirSync(own.state)).toHaveLength(2)
    })

    test('settings and content that only root may read are read', async () => {
      await using own = await openForeignState()
      const closed = join(own.roots, 'closed')
      mkdirSync(closed, { mode: 0o700 })
      copyFileSync(ENGLISH_CONTENT, join(closed, 'en.json'))
      const settings = Object.entries({ ...own.settings, CONTENT_DIR: closed })
      const lines = settings.map(([name, value]) => `${name}="${value}"\n`).join('')
      const { path } = rootsFile(closed, 'alibi.env', lines)
      const { PATH = '' } = process.env
      expect(await own.run(['migrate', '--env-file', path], { PATH })).toMatchObject(DONE)
      expect(await own.run(['grant', EMAIL, '--env-file', path], { PATH })).toMatchObject(DONE)
      const checked = await own.run(['doctor', '--offline', '--env-file', path], { PATH })
      expect(checked).toMatchObject({ exitCode: 0 })
      expect(checked.stdout).not.toContain('EACCES')
    })

    test('a backup into the state folder is its owner’s, and is restored from there', async () => {
      await using own = await openForeignState()
      await own.run(['migrate'])
      const file = join(own.state, 'copy.db')
      expect(await own.run(['backup', file])).toMatchObject(DONE)
      expect(await own.run(['restore', file])).toMatchObject(DONE)
      expect(owners(own.state)).toEqual([])
    })

    test('a backup that fails a check is refused before anything of it is in the state folder', async () => {
      await using own = await openForeignState()
      await own.run(['migrate'])
      const secret = rootsFile(own.roots, 'secret', 'only for root\n'.repeat(1000))
      const refused = await own.run(['restore', secret.path])
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
      expect(refused.stderr).toBe(
        `alibi: ${secret.path} is not an SQLite database: file is not a database\n`,
      )
      expect(readdirSync(own.state)).toEqual(['alibi.db'])
    })

    test('a database that root has left there itself is said to be another user’s', async () => {
      await using own = await openForeignState()
      await own.run(['migrate'])
      chownSync(own.databasePath, 0, 0)
      const { exitCode, stderr } = await own.run(['status', EMAIL])
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(/^alibi: the database .* cannot be opened: .*user.*\n$/)
    })
  })

  describe('the state folder of a service with a user of its own', () => {
    test('is used as ever, through the link and the folder that only root may enter', async () => {
      await using own = await openPrivate()
      const before = statSync(own.closed)
      expect(await own.run(['migrate'])).toMatchObject(DONE)
      expect(await own.run(['grant', EMAIL])).toMatchObject(DONE)
      expect(await own.run(['backup', 'good.db'])).toMatchObject(DONE)
      expect(await own.run(['revoke', EMAIL])).toMatchObject(DONE)
      expect(await own.run(['restore', 'good.db'])).toMatchObject(DONE)
      expect(await hasPremium(own)).toBe(true)
      const inside = join(own.closed, 'alibi')
      expect(owners(inside)).toEqual([])
      expect(countRows(join(inside, 'alibi.db'))).toBe(0)
      expect(statSync(own.closed)).toMatchObject({ mode: before.mode, uid: 0, ino: before.ino })
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(own.closed)
    })

    test('is reached through folders between the two, with any umask', async () => {
      await using own = await openPrivate()
      const between = join(own.closed, 'between')
      mkdirSync(between, { mode: 0o711 })
      const inside = join(between, 'alibi')
      renameSync(join(own.closed, 'alibi'), inside)
      const env = { ...own.settings, DATABASE_URL: `sqlite:${inside}/alibi.db` }
      const command = ['sh', '-c', 'umask 077 && exec "$0" migrate', own.executable]
      expect(await runAlibi({ command, cwd: own.folder, env })).toMatchObject(DONE)
      expect(readdirSync(inside)).toContain('alibi.db')
    })

    test('lets root back up into the folder that only root may enter, and restore from there', async () => {
      await using own = await openPrivate()
      const file = join(own.closed, 'copy.db')
      await own.run(['migrate'])
      expect(await own.run(['backup', file])).toMatchObject(DONE)
      expect(lstatSync(file)).toMatchObject({ uid: 0, mode: 0o100600 })
      chownSync(join(own.closed, 'alibi', 'alibi.db'), OWNER, 0)
      chmodSync(join(own.closed, 'alibi', 'alibi.db'), 0o640)
      expect(await own.run(['restore', file])).toMatchObject(DONE)
      // Its owner is not in the group of root, which therefore gets no rights.
      const restored = lstatSync(join(own.closed, 'alibi', 'alibi.db'))
      expect(restored).toMatchObject({ uid: OWNER, gid: OWNER, mode: 0o100600 })
    })

    test('serves, with commands beside it and backups of its own', async () => {
      await using own = await openPrivate()
      const backups = join(own.folder, 'backups')
      mkdirSync(backups, { mode: 0o700 })
      const env = { ...own.settings, BACKUP_DIR: backups }
      const alibi = await own.start({ env })
      expect(await own.run(['grant', EMAIL])).toMatchObject(DONE)
      expect((await fetch(`${alibi.url}/ready`)).status).toBe(200)
      await until('there is a backup, and nothing half made beside it', () => {
        const made = readdirSync(backups).sort()
        return made.length === 2 && made[1] === `${made[0]}.sha256`
      })
      expect(await alibi.stop()).toBe(0)
      const inside = join(own.closed, 'alibi')
      expect(owners(inside)).toEqual([])
      for (const name of readdirSync(backups)) expect(statSync(join(backups, name)).uid).toBe(0)
    })

    test('a link of its owner in it leads nowhere there, either', async () => {
      await using own = await openPrivate()
      const secret = rootsFile(own.roots)
      symlinkSync(secret.path, join(own.closed, 'alibi', 'alibi.db'))
      give(join(own.closed, 'alibi', 'alibi.db'))
      expect(await own.run(['migrate'])).toMatchObject({ exitCode: 1, stdout: '' })
      expect(secret.look()).toEqual(secret.before)
    })
  })

  describe('a system that does not let root act as the owner is told so in one line', () => {
    const without = ({ executable, folder, settings }: ForeignState, capability: string) => {
      const fewer = ['setpriv', `--bounding-set=-${capability}`, `--inh-caps=-${capability}`]
      return runAlibi({
        command: [...fewer, '--', executable, 'migrate'],
        cwd: folder,
        env: { ...settings, PATH: process.env['PATH'] ?? '' },
      })
    }

    test('without the right to take over those of others', async () => {
      await using own = await openForeignState()
      const { exitCode, stdout, stderr } = await without(own, 'setuid')
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
      const [reason = '', ...others] = stderr.trimEnd().split('\n')
      expect(reason).toStartWith(
        `alibi: ${own.state} belongs to user ${OWNER}: the rights of user ${OWNER} cannot be taken: `,
      )
      expect(others).toEqual([])
      expect(readdirSync(own.state)).toEqual([])
    })

    test('without the right to mounts of its own', async () => {
      await using own = await openPrivate()
      const inside = join(own.closed, 'alibi')
      expect(await without(own, 'sys_admin')).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `alibi: user ${OWNER}, to whom ${inside} belongs, may not enter ${own.closed}, and no way around that can be made: unshare(2) fails\n`,
      })
      expect(readdirSync(inside)).toEqual([])
    })
  })

  describe('a folder of root’s', () => {
    test('is used with the rights of root, as ever', async () => {
      await using own = await openProduction()
      chmodSync(own.folder, 0o700)
      expect(await own.run(['migrate'])).toMatchObject(DONE)
      const link = join(own.folder, 'link.db')
      symlinkSync(own.databasePath, link)
      const env = { ...own.settings, DATABASE_URL: `sqlite:${link}` }
      expect(await own.run(['grant', EMAIL], env)).toMatchObject(DONE)
      rmSync(own.state, { recursive: true })
      expect(await own.run(['migrate'])).toMatchObject(DONE)
      expect(lstatSync(own.state)).toMatchObject({ uid: 0, mode: 0o40700 })
      expect(lstatSync(own.databasePath)).toMatchObject({ uid: 0, mode: 0o100600 })
    })
  })
}
