import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseBackupName } from '../../domain/backup-schedule.ts'
import { applyMigrations, MIGRATIONS } from '../../infrastructure/sqlite/migrations.ts'
import { after, spread } from '../support/executable/kill-lane.ts'
import { openProduction, type Production } from '../support/executable/production.ts'
import { until } from '../support/executable/until.ts'
import { client } from '../support/http/client.ts'
import { runAlibi } from '../support/service/alibi-process.ts'
import { addRows, countRows } from '../support/stores/sold-database.ts'

const NEWEST = MIGRATIONS.at(-1)!.name
const KILLS = 20
const MIGRATION_KILLS = 10

async function isChecksumRight(file: string): Promise<boolean> {
  const command = ['sha256sum', '--strict', '--status', '--check', `${file}.sha256`]
  return (await runAlibi({ command, cwd: join(file, '..') })).exitCode === 0
}

describe('alibi backup', () => {
  test('copies the database while it is served, and says where, how much and under which checksum', async () => {
    await using production = await openProduction()
    const alibi = await production.start()
    const file = join(production.folder, 'backup.db')
    const { exitCode, stdout, stderr } = await production.run(['backup', file])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const [, sha256 = ''] = /^Its checksum is in \S+\.sha256: ([0-9a-f]{64})$/m.exec(stdout) ?? []
    expect(stdout).toStartWith(`Backed up into ${file}: `)
    expect(await Bun.file(`${file}.sha256`).text()).toBe(`${sha256}  backup.db\n`)
    expect(await isChecksumRight(file)).toBe(true)
    expect(countRows(file)).toBe(0)
    expect((await client(alibi.url).get('/ready')).status).toBe(200)

    const again = await production.run(['backup', 'backup.db'])
    expect(again).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: `alibi: ${file} is there already, and nothing is overwritten\n`,
    })
    const { json } = await production.runJson(['backup', 'second.db'])
    expect(json).toEqual({
      file: join(production.folder, 'second.db'),
      bytes: statSync(join(production.folder, 'second.db')).size,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      version: NEWEST,
      seconds: expect.any(Number),
    })
  })

  test('needs no setting but DATABASE_URL, and a database to be there', async () => {
    await using production = await openProduction()
    const { DATABASE_URL } = production.settings
    const lacking = await production.run(['backup', 'b.db'], { DATABASE_URL })
    expect(lacking).toMatchObject({
      exitCode: 1,
      stderr: `alibi: there is no database at ${production.databasePath}: look at DATABASE_URL, or name the settings file by --env-file\n`,
    })
    expect(existsSync(production.databasePath)).toBe(false)
    await production.run(['migrate'], { DATABASE_URL })
    expect(await production.run(['backup', 'b.db'], { DATABASE_URL })).toMatchObject({
      exitCode: 0,
    })
    expect(await production.run(['backup', 'c.db'], { DATABASE_URL: 'x' })).toMatchObject({
      exitCode: 78,
      stderr: expect.stringContaining('DATABASE_URL'),
    })
  })

  test('killed at any moment, it leaves a whole backup or none', async () => {
    await using production = await openProduction()
    await production.run(['migrate'])
    const rows = 60_000
    addRows(production.databasePath, rows)
    const folder = join(production.folder, 'killed')
    mkdirSync(folder)
    const backUp = (name: string) =>
      Bun.spawn([production.executable, 'backup', join(folder, name)], {
        env: production.settings,
        stdout: 'ignore',
        stderr: 'ignore',
      })
    const before = performance.now()
    expect(await backUp('first.db').exited).toBe(0)
    const usualMs = performance.now() - before

    let ended = 0
    let abandoned = 0
    for (const [kill, milliseconds] of spread(KILLS, usualMs * 1.8).entries()) {
      const child = backUp(`${kill}.db`)
      await after(milliseconds)
      child.kill('SIGKILL')
      if ((await child.exited) === 0) ended++
      if (readdirSync(folder).some((name) => name.startsWith('.'))) abandoned++
    }
    const files = readdirSync(folder).filter((name) => name.endsWith('.db'))
    for (const name of files) {
      expect(await isChecksumRight(join(folder, name))).toBe(true)
      expect(countRows(join(folder, name))).toBe(rows)
    }
    expect(files.length).toBeGreaterThanOrEqual(1 + ended)

    expect(await backUp('last.db').exited).toBe(0)
    // One that is killed in the blink in which it makes its folder, or takes it away, leaves one with no more than its
    // lock for a minute: a database of SQLite, with a journal beside it while it is taken.
    const left = readdirSync(folder).filter((name) => name.startsWith('.'))
    const contents = left.flatMap((name) => readdirSync(join(folder, name)))
    expect(contents.filter((name) => !['lock', 'lock-journal'].includes(name))).toEqual([])
    const bytes = statSync(join(folder, 'last.db')).size
    console.log(
      `backups killed anywhere in ${Math.round(usualMs)} ms and a while after, of ${(bytes / 1e6).toFixed(1)} MB: ${KILLS} kills, ` +
        `${abandoned} left something to clear away, ${files.length - 1} whole backups, 0 bad ones`,
    )
  })
})

describe('alibi restore', () => {
  test('refuses while the service runs, and puts the backup in place once it has stopped', async () => {
    await using production = await openProduction()
    const { databasePath, folder, state } = production
    const alibi = await production.start()
    await production.run(['backup', 'backup.db'])
    await production.run(['grant', 'later@example.com'])

    const refused = await production.run(['restore', 'backup.db', '--yes'])
    expect(refused).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: `alibi: the database ${databasePath} is in use: stop the service, and whatever else has it open, first\n`,
    })
    expect((await client(alibi.url).get('/ready')).status).toBe(200)
    await alibi.stop()

    const restored = await production.run(['restore', 'backup.db', '--yes'])
    expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
    const [, kept = ''] = /^The old database is (\S+)\./m.exec(restored.stdout) ?? []
    expect(kept).toStartWith(`${databasePath}.before-restore-`)
    expect(readdirSync(state).length).toBe(2)
    expect((await production.runJson(['status', 'later@example.com'])).json.hasPremium).toBe(false)
    const { json } = await production.runJson(['restore', kept])
    expect(json).toMatchObject({ restored: kept, database: databasePath, hadChecksum: false })
    expect((await production.runJson(['status', 'later@example.com'])).json.hasPremium).toBe(true)
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test.each([
    ['something else', (file: string) => writeFileSync(file, 'garbage '.repeat(1000))],
    ['nothing', () => {}],
    [
      'a newer executable’s',
      (file: string) => {
        const database = new Database(file)
        applyMigrations(database, [...MIGRATIONS, { name: '9999_future', sql: 'SELECT 1' }])
        database.close()
      },
    ],
  ])('says in one line what is wrong with a file that is %s', async (_, make) => {
    await using production = await openProduction()
    await production.run(['migrate'])
    const file = join(production.folder, 'file')
    make(file)
    const outcome = await production.run(['restore', file, '--yes'])
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' })
    expect(outcome.stderr).toMatch(new RegExp(`^alibi: [^\n]*${file}[^\n]*\n$`))
    expect(readdirSync(production.state)).toEqual(['alibi.db'])
  })
})

describe('a service with BACKUP_DIR', () => {
  async function backupsOf(folder: string): Promise<string[]> {
    return readdirSync(folder).filter((name) => parseBackupName(name) !== null)
  }

  test('makes a backup at once that restores, and keeps so many', async () => {
    await using production = await openProduction()
    const folder = join(production.state, 'backups')
    mkdirSync(folder)
    const old = ['alibi-20200101T000000Z.db', 'alibi-20200102T000000Z.db']
    const foreign = ['alibi-20200101T000000Z.db.gz', 'mine.db']
    for (const name of [...old, ...foreign, `${old[0]}.sha256`])
      writeFileSync(join(folder, name), '')
    const env = { ...production.settings, BACKUP_DIR: folder, BACKUP_KEEP: '2' }
    const alibi = await production.start({ env })
    await until('the backup is logged', () => alibi.output().includes('"event":"backup.pruned"'))
    expect(alibi.output()).toContain('"event":"backup.made"')

    const [newest = ''] = (await backupsOf(folder)).filter((name) => !old.includes(name))
    expect(await isChecksumRight(join(folder, newest))).toBe(true)
    expect(readdirSync(folder).toSorted()).toEqual(
      [old[1]!, ...foreign, newest, `${newest}.sha256`].toSorted(),
    )
    await alibi.stop()
    const restored = await production.run(['restore', join(folder, newest), '--yes'])
    expect(restored).toMatchObject({ exitCode: 0 })

    const again = await production.start({ env })
    expect((await client(again.url).get('/ready')).status).toBe(200)
    await again.stop()
    expect(again.output()).not.toContain('"event":"backup.made"')
  })

  test('goes on serving when none can be made, and says so at level error', async () => {
    await using production = await openProduction()
    const folder = join(production.folder, 'backups')
    const first = await production.start()
    await first.stop()
    mkdirSync(folder)
    // An orphan: the service reads and writes, but no backup of it is taken for sound.
    const database = new Database(production.databasePath)
    database.run('PRAGMA foreign_keys = OFF')
    database.run('CREATE TABLE a (id INTEGER PRIMARY KEY, other INTEGER REFERENCES a (id))')
    database.run('INSERT INTO a VALUES (1, 7)')
    database.close()
    const alibi = await production.start({ env: { ...production.settings, BACKUP_DIR: folder } })
    await until('the failure is logged', () => alibi.output().includes('"event":"backup.failed"'))
    const line = alibi
      .output()
      .split('\n')
      .find((one) => one.includes('"event":"backup.failed"'))
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'error',
      reason: expect.stringContaining('row 1 of a refers to nothing'),
    })
    expect((await client(alibi.url).get('/ready')).status).toBe(200)
    expect(readdirSync(folder)).toEqual([])
    expect(await alibi.stop()).toBe(0)
  })

  test.each([
    ['a file', (path: string) => writeFileSync(path, ''), 'ENOTDIR'],
    [
      'without its parent',
      (path: string) => rmSync(join(path, '..'), { recursive: true }),
      'ENOENT',
    ],
  ])('does not start where it is %s, and names the setting', async (_, make, code) => {
    await using production = await openProduction()
    const parent = join(production.folder, 'parent')
    mkdirSync(parent)
    make(join(parent, 'backups'))
    const env = { ...production.settings, PORT: '0', BACKUP_DIR: join(parent, 'backups') }
    expect(await production.run(['serve'], env)).toMatchObject({
      exitCode: 78,
      stdout: '',
      stderr: `alibi: BACKUP_DIR must be a folder that files can be made in, or be made itself (${code})\n`,
    })
  })
})

describe('an existing database that lacks migrations', () => {
  function openOld({ databasePath }: Production): string {
    const database = new Database(databasePath)
    applyMigrations(database, MIGRATIONS.slice(0, 2))
    database.run("INSERT INTO log_outs VALUES ('old@example.com', 1)")
    database.close()
    return `${databasePath}.before-${MIGRATIONS[2]!.name}`
  }

  test('is copied before alibi migrate changes it', async () => {
    await using production = await openProduction()
    const copy = openOld(production)
    const outcome = await production.run(['migrate'])
    expect(outcome.stdout.split('\n')[0]).toBe(`The database as it was is kept as ${copy}.`)
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
    expect(countRows(copy)).toBe(1)
    expect((await production.runJson(['migrate'])).json).toEqual({
      database: production.databasePath,
      applied: [],
      version: NEWEST,
      copy: null,
    })
  })

  test('is copied before alibi serve changes it, which logs where', async () => {
    await using production = await openProduction()
    const copy = openOld(production)
    const alibi = await production.start()
    const line = alibi
      .output()
      .split('\n')
      .find((one) => one.includes('"event":"database.migrated"'))
    expect(JSON.parse(line ?? '')).toMatchObject({ level: 'info', copy })
    expect(countRows(copy)).toBe(1)
  })

  test('is old or new, and whole, wherever a migration of it is killed', async () => {
    await using production = await openProduction()
    const { databasePath, state, settings } = production
    const copy = openOld(production)
    const bytes = await Bun.file(databasePath).bytes()
    const migrate = () =>
      Bun.spawn([production.executable, 'migrate'], {
        env: settings,
        stdout: 'ignore',
        stderr: 'ignore',
      })
    const before = performance.now()
    expect(await migrate().exited).toBe(0)
    const usualMs = performance.now() - before

    const lacking: number[] = []
    for (const milliseconds of spread(MIGRATION_KILLS, usualMs * 1.5)) {
      for (const name of readdirSync(state)) rmSync(join(state, name), { recursive: true })
      writeFileSync(databasePath, bytes)
      const child = migrate()
      await after(milliseconds)
      child.kill('SIGKILL')
      await child.exited
      if (existsSync(copy)) expect(countRows(copy)).toBe(1)
      expect(countRows(databasePath)).toBe(1)

      const { json } = await production.runJson(['migrate'])
      lacking.push(json.applied.length)
      expect(json.version).toBe(NEWEST)
      expect(countRows(databasePath)).toBe(1)
      expect(countRows(copy)).toBe(1)
    }
    const old = lacking.filter((count) => count === MIGRATIONS.length - 2).length
    const whole = lacking.filter((count) => count === 0).length
    console.log(
      `migrations killed anywhere in ${Math.round(usualMs)} ms and a while after: ${MIGRATION_KILLS} kills, ${old} left ` +
        `the old database, ${lacking.length - old - whole} a part of the way, ${whole} the new one, 0 lost a row`,
    )
  })
})
