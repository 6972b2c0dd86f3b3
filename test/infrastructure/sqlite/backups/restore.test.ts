import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { backUpDatabase } from '../../../../infrastructure/sqlite/backups/backup.ts'
import { prepareRestore } from '../../../../infrastructure/sqlite/backups/restore.ts'
import { DatabaseInUse } from '../../../../infrastructure/sqlite/backups/restore-lock.ts'
import { migrateSqlite } from '../../../../infrastructure/sqlite/database.ts'
import { MIGRATIONS } from '../../../../infrastructure/sqlite/migrations.ts'
import { openSqliteStore } from '../../../../infrastructure/sqlite/store.ts'
import { NOON } from '../../../support/fakes.ts'
import {
  addRows,
  bytesOf,
  countRows,
  modeOf,
  oldDatabase,
  reasonOf,
  soldDatabase,
} from '../../../support/stores/sold-database.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const NEWEST = MIGRATIONS.at(-1)!.name
const KEPT = 'before-restore-20260301T120000Z'

/** A database with five rows, and a backup of it with three. */
function open() {
  const { path, folder } = soldDatabase(3)
  const file = join(temporaryFolder(), 'backup.db')
  backUpDatabase({ databasePath: path, file })
  addRows(path, 2)
  return { path, folder, file, kept: `${path}.${KEPT}` }
}

function restore(databasePath: string, file: string): string | null {
  const prepared = prepareRestore({ databasePath, file })
  try {
    return prepared.carryOut(NOON)
  } finally {
    prepared.end()
  }
}

/** Leaves the log beside the database, as a process that is killed does. */
function leaveLog(path: string): void {
  const [copy, log] = [`${path}.copy`, `${path}-wal`]
  const client = new Database(path)
  client.run('PRAGMA journal_mode = WAL')
  client.run("INSERT INTO log_outs VALUES ('in.the.log@example.com', 1)")
  copyFileSync(path, copy)
  copyFileSync(log, `${copy}-wal`)
  client.close(true)
  renameSync(copy, path)
  renameSync(`${copy}-wal`, log)
}

describe('a restore', () => {
  test('puts the backup in the place of the database, which stays beside it, and goes back the same way', () => {
    const { path, folder, file, kept } = open()
    expect(restore(path, file)).toBe(kept)
    expect([countRows(path), countRows(kept)]).toEqual([3, 5])
    expect(readdirSync(folder).toSorted()).toEqual(['alibi.db', `alibi.db.${KEPT}`])
    expect([modeOf(path), modeOf(kept)]).toEqual(['600', '600'])

    expect(restore(path, kept)).toBe(`${kept}.2`)
    expect([countRows(path), countRows(`${kept}.2`)]).toEqual([5, 3])
    openSqliteStore(path).close()
  })

  test('says what it found before it changes anything', () => {
    const { path, folder, file } = open()
    const before = bytesOf(path)
    const steps: string[] = []
    const prepared = prepareRestore({
      databasePath: path,
      file,
      onStep: (step) => void steps.push(step),
    })
    expect(prepared).toMatchObject({
      databasePath: realpathSync(path),
      bytes: statSync(file).size,
      hadChecksum: true,
      version: NEWEST,
    })
    prepared.end()
    expect(steps).toEqual(['copying', 'checking'])
    expect(bytesOf(path)).toBe(before)
    expect(readdirSync(folder)).toEqual(['alibi.db'])
  })

  test('needs no database to be there, nor a folder for it', () => {
    const { file } = open()
    const path = join(temporaryFolder(), 'new', 'alibi.db')
    expect(restore(path, file)).toBeNull()
    expect(countRows(path)).toBe(3)
    expect(modeOf(path)).toBe('600')
    expect(readdirSync(join(path, '..'))).toEqual(['alibi.db'])
  })

  test('takes a backup of an earlier release, which the next start migrates', () => {
    const { path } = open()
    const old = oldDatabase()
    restore(path, old.path)
    expect(countRows(path)).toBe(1)
    const { applied, copy } = migrateSqlite(path)
    expect(applied).toEqual(MIGRATIONS.slice(1).map(({ name }) => name))
    expect(countRows(copy!)).toBe(1)
  })

  test('takes a file without a checksum, and says so', () => {
    const { path, file } = open()
    rmSync(`${file}.sha256`)
    const prepared = prepareRestore({ databasePath: path, file })
    expect(prepared.hadChecksum).toBe(false)
    prepared.end()
  })

  test('takes a checksum in capitals, as other tools write it', () => {
    const { path, file } = open()
    const [sha256 = ''] = readFileSync(`${file}.sha256`, 'utf8').split(' ')
    writeFileSync(`${file}.sha256`, `${sha256.toUpperCase()} *backup.db`)
    const prepared = prepareRestore({ databasePath: path, file })
    expect(prepared.hadChecksum).toBe(true)
    prepared.end()
  })

  test('takes a file under another name with the checksum it had', () => {
    const { path, file } = open()
    renameSync(file, `${file}.moved`)
    renameSync(`${file}.sha256`, `${file}.moved.sha256`)
    const prepared = prepareRestore({ databasePath: path, file: `${file}.moved` })
    expect(prepared.hadChecksum).toBe(true)
    prepared.end()
  })

  test('takes the plain copy of a database with the log beside it, and all that is in that', () => {
    const { path } = open()
    const source = soldDatabase(7)
    leaveLog(source.path)
    restore(path, source.path)
    expect(countRows(path)).toBe(8)
    expect(readdirSync(source.folder).toSorted()).toEqual(['alibi.db', 'alibi.db-wal'])
  })

  test('takes a database by a link to it, with the log that lies beside the file itself', () => {
    const { path } = open()
    const source = soldDatabase(7)
    leaveLog(source.path)
    const link = join(temporaryFolder(), 'link.db')
    symlinkSync(source.path, link)
    restore(path, link)
    expect(countRows(path)).toBe(8)
  })

  test('takes the database of another service as it is at one moment, while that writes to it', async () => {
    const rows = 2000
    const source = soldDatabase()
    const client = new Database(source.path)
    client.run('CREATE TABLE circle (id INTEGER PRIMARY KEY, number, bytes)')
    const insert = client.prepare('INSERT INTO circle VALUES (?, ?, randomblob(3000))')
    client.transaction(() => {
      for (let id = 0; id < rows; id++) insert.run(id, id - rows)
    })()
    client.close(true)
    const script = join(import.meta.dir, '../../../support/fixtures/endless-writer.ts')
    const command = [process.execPath, 'run', script, source.path, String(rows)]
    const writer = Bun.spawn(command, { stdout: 'pipe' })
    await writer.stdout.getReader().read()
    try {
      for (let time = 0; time < 5; time++) {
        const path = join(temporaryFolder(), 'alibi.db')
        restore(path, source.path)
        const restored = new Database(path)
        const [[oldest, newest] = []] = restored
          .prepare('SELECT min(number), max(number) FROM circle')
          .values()
        restored.close(true)
        expect(Number(newest) - Number(oldest)).toBe(rows - 1)
      }
    } finally {
      writer.kill('SIGKILL')
      await writer.exited
    }
  })

  test('leaves no log beside the new database that SQLite would apply to it', () => {
    const { path, folder, file, kept } = open()
    leaveLog(path)
    restore(path, file)
    expect(readdirSync(folder).toSorted()).toEqual(['alibi.db', `alibi.db.${KEPT}`])
    expect([countRows(path), countRows(kept)]).toEqual([3, 6])
  })

  test('without that care the old log would be applied to the new database, and destroy it', () => {
    const { path, file } = open()
    leaveLog(path)
    copyFileSync(file, path)
    const spoilt = (() => {
      try {
        return countRows(path) !== 3
      } catch {
        return true
      }
    })()
    expect(spoilt).toBe(true)
  })

  test('clears away the log of a database that is gone, and keeps it', () => {
    const { path, folder, file } = open()
    leaveLog(path)
    const log = bytesOf(`${path}-wal`)
    rmSync(path)
    expect(restore(path, file)).toBeNull()
    expect(countRows(path)).toBe(3)
    expect(readdirSync(folder).toSorted()).toEqual(['alibi.db', `alibi.db.${KEPT}-wal`])
    expect(bytesOf(`${path}.${KEPT}-wal`)).toBe(log)
  })

  test('lets a path that is a link go on being one', () => {
    const { path, file } = open()
    const link = join(temporaryFolder(), 'link.db')
    symlinkSync(path, link)
    expect(restore(link, file)).toBe(`${realpathSync(path)}.${KEPT}`)
    expect([countRows(link), countRows(path)]).toEqual([3, 3])
  })

  test('gives the new database to the owner of the old one, or of the folder, and keeps its mode', () => {
    if (process.getuid?.() !== 0) {
      process.stdout.write('not tested here: only root gives files to others\n')
      return
    }
    const { path, folder, file, kept } = open()
    chownSync(path, 4242, 4243)
    chmodSync(path, 0o640)
    restore(path, file)
    for (const one of [path, kept]) {
      expect(statSync(one)).toMatchObject({ uid: 4242, gid: 4243 })
      expect(modeOf(one)).toBe('640')
    }

    rmSync(path)
    chownSync(folder, 4244, 4245)
    restore(path, file)
    expect(statSync(path)).toMatchObject({ uid: 4244, gid: 4245 })
    expect(modeOf(path)).toBe('600')
  })
})

describe('a damaged database is replaced and kept as it is:', () => {
  const DAMAGES: readonly (readonly [string, (path: string) => void])[] = [
    ['garbage', (path) => writeFileSync(path, 'garbage '.repeat(1000))],
    ['an empty file', (path) => truncateSync(path, 0)],
    ['cut in half', (path) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096)],
    ['cut in the middle of a page', (path) => truncateSync(path, 5000)],
    ['a flipped first page', (path) => overwrite(path, 100, 4096)],
    ['a flipped page', (path) => overwrite(path, 8192, 12_288)],
    ['another magic number', (path) => overwrite(path, 0, 16)],
  ]

  function overwrite(path: string, from: number, to: number): void {
    const bytes = readFileSync(path)
    bytes.fill(0xff, from, to)
    writeFileSync(path, bytes)
  }

  test.each(DAMAGES)('%s', (name, damage) => {
    const { path, folder, file, kept } = open()
    damage(path)
    const before = bytesOf(path)
    expect(restore(path, file)).toBe(kept)
    expect(countRows(path)).toBe(3)
    expect(bytesOf(kept) === before || name === 'a flipped page').toBe(true)
    expect(readdirSync(folder).toSorted()).toEqual(['alibi.db', `alibi.db.${KEPT}`])
  })

  // Of a file that is empty, or has a bad page somewhere, SQLite can still read the log.
  const UNREADABLE = DAMAGES.filter(([name]) => !['an empty file', 'a flipped page'].includes(name))

  test.each(UNREADABLE)('%s, with its log beside it, byte for byte', (_, damage) => {
    const { path, folder, file, kept } = open()
    leaveLog(path)
    damage(path)
    const before = [bytesOf(path), bytesOf(`${path}-wal`)]
    restore(path, file)
    expect(countRows(path)).toBe(3)
    expect(readdirSync(folder).toSorted()).toEqual(
      ['alibi.db', `alibi.db.${KEPT}`, `alibi.db.${KEPT}-wal`].toSorted(),
    )
    expect([bytesOf(kept), bytesOf(`${kept}-wal`)]).toEqual(before)
  })

  test.each(DAMAGES)('%s, but not while somebody has it open', async (_, damage) => {
    const { path, folder, file } = open()
    await using user = await openElsewhere(path)
    expect(user.isRunning()).toBe(true)
    // Written into the same file, as a failing disk does.
    damage(path)
    const before = bytesOf(path)
    expect(() => restore(path, file)).toThrow(DatabaseInUse)
    expect(bytesOf(path)).toBe(before)
    expect(readdirSync(folder).filter((name) => name.includes('before'))).toEqual([])
  })
})

/** Another process that has read the database, and does nothing more. */
async function openElsewhere(path: string) {
  const script = `
    const { Database } = require('bun:sqlite')
    const client = new Database(process.argv[1])
    client.run('PRAGMA journal_mode = WAL')
    client.prepare('SELECT count(*) FROM log_outs').all()
    console.log('open')
    setInterval(() => client, 1000)`
  const child = Bun.spawn([process.execPath, '-e', script, path], { stdout: 'pipe', env: {} })
  for await (const _ of child.stdout) break
  return {
    isRunning: () => child.exitCode === null,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

describe('a restore is refused, and nothing is changed:', () => {
  type Case = readonly [
    string,
    (place: ReturnType<typeof open>) => string | undefined,
    (place: ReturnType<typeof open>) => string,
  ]
  const CASES: readonly Case[] = [
    ['no such file', ({ file }) => `${file}.none`, ({ file }) => `there is no file ${file}.none`],
    ['a folder', ({ folder }) => folder, ({ folder }) => `${folder} is not a file`],
    ['the database itself', ({ path }) => path, ({ path }) => `${path} is the database itself`],
    [
      'another name of the database',
      ({ path, file }) => {
        linkSync(path, `${file}.same`)
        return `${file}.same`
      },
      ({ file }) => `${file}.same is the database itself`,
    ],
    [
      'a backup that is not what its checksum says',
      ({ file }) => void writeFileSync(file, 'x', { flag: 'a' }),
      ({ file }) => `${file} is damaged: it is not what ${file}.sha256 says`,
    ],
    [
      'a checksum that is none',
      ({ file }) => void writeFileSync(`${file}.sha256`, 'abc  backup.db\n'),
      ({ file }) => `${file}.sha256 is not a checksum as sha256sum writes it`,
    ],
    [
      'a checksum that cannot be read',
      ({ file }) => {
        rmSync(`${file}.sha256`)
        mkdirSync(`${file}.sha256`)
        return file
      },
      () => 'EISDIR: illegal operation on a directory, read',
    ],
    [
      'an index that lacks a row',
      ({ file }) => {
        changed(file, 'CREATE TABLE a (id INTEGER PRIMARY KEY, x); CREATE INDEX of_a ON a (x)')
        const before = readFileSync(file)
        const client = new Database(file)
        client.run('INSERT INTO a VALUES (1, 2)')
        const [[page] = []] = client
          .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'of_a'")
          .values()
        client.close(true)
        const bytes = readFileSync(file)
        before.copy(
          bytes,
          (Number(page) - 1) * 4096,
          (Number(page) - 1) * 4096,
          Number(page) * 4096,
        )
        writeFileSync(file, bytes)
        return file
      },
      ({ file }) =>
        `${file} is damaged: wrong # of entries in index of_a; row 1 missing from index of_a`,
    ],
    [
      'garbage',
      ({ file }) => {
        writeFileSync(`${file}.txt`, 'garbage '.repeat(1000))
        return `${file}.txt`
      },
      ({ file }) => `${file}.txt is not an SQLite database: file is not a database`,
    ],
    [
      'half a backup',
      ({ file }) => {
        rmSync(`${file}.sha256`)
        truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096)
        return file
      },
      ({ file }) => `${file} is damaged: database disk image is malformed`,
    ],
    [
      'an empty file',
      ({ file }) => {
        writeFileSync(`${file}.empty`, '')
        return `${file}.empty`
      },
      ({ file }) => `${file}.empty is not a backup of Alibi: it has no migrations on record`,
    ],
    [
      'the database of something else',
      ({ file }) => {
        const client = new Database(`${file}.other`)
        client.run('CREATE TABLE other (id INTEGER)')
        client.close(true)
        return `${file}.other`
      },
      ({ file }) => `${file}.other is not a backup of Alibi: it has no migrations on record`,
    ],
    [
      'a backup of a newer executable',
      ({ file }) => {
        changed(file, "INSERT INTO schema_migrations VALUES ('9999_future', 'hash', 0)")
        return file
      },
      ({ file }) =>
        `${file} is newer than this executable: it has the migration 9999_future, the executable knows those up to ${NEWEST}; install the newer executable again, or restore a backup from before that`,
    ],
    [
      'a row that refers to nothing',
      ({ file }) => {
        changed(
          file,
          'CREATE TABLE a (id INTEGER PRIMARY KEY, other INTEGER REFERENCES a (id)); INSERT INTO a VALUES (1, 7)',
        )
        return file
      },
      ({ file }) => `${file} is damaged: row 1 of a refers to nothing`,
    ],
  ]

  function changed(file: string, sql: string): void {
    rmSync(`${file}.sha256`)
    const client = new Database(file)
    client.run('PRAGMA foreign_keys = OFF')
    client.run(sql)
    client.close(true)
  }

  test.each(CASES)('%s', (_, prepare, message) => {
    const place = open()
    const file = prepare(place) ?? place.file
    const before = bytesOf(place.path)
    expect(reasonOf(() => restore(place.path, file))).toBe(message(place))
    expect(bytesOf(place.path)).toBe(before)
    expect(readdirSync(place.folder)).toEqual(['alibi.db'])
  })

  test('a database that another process has open, or begins to use after the check', async () => {
    const { path, folder, file } = open()
    const inUse = `the database ${path} is in use: stop the service, and whatever else has it open, first`
    const prepared = prepareRestore({ databasePath: path, file })
    await using user = await openElsewhere(path)
    expect(reasonOf(() => prepared.carryOut(NOON))).toBe(inUse)
    prepared.end()
    expect(reasonOf(() => prepareRestore({ databasePath: path, file }))).toBe(inUse)
    expect(user.isRunning()).toBe(true)
    expect(countRows(path)).toBe(5)
    expect(readdirSync(folder).filter((name) => name.includes('before'))).toEqual([])
  })

  test('a folder that takes no files', () => {
    if (!existsSync('/proc')) {
      process.stdout.write('not tested here: there is no folder that takes no files of anybody\n')
      return
    }
    const { file } = open()
    const refused = () => prepareRestore({ databasePath: '/proc/alibi.db', file })
    expect(reasonOf(refused)).toStartWith('no file can be made in /proc: ENOENT')
  })

  test('a folder in the place of the database', () => {
    const { file } = open()
    const path = join(temporaryFolder(), 'alibi.db')
    mkdirSync(path)
    expect(reasonOf(() => restore(path, file))).toBe(`${path} is not a file: it is left as it is`)
    expect(existsSync(path)).toBe(true)
  })

  test('a database that appears while a backup is put where there was none', () => {
    const { file } = open()
    const path = join(temporaryFolder(), 'alibi.db')
    const prepared = prepareRestore({
      databasePath: path,
      file,
      onStep(step) {
        if (step === 'putting the backup in its place') migrateSqlite(path)
      },
    })
    expect(() => prepared.carryOut(NOON)).toThrow('EEXIST')
    prepared.end()
    expect(countRows(path)).toBe(0)
  })
})
