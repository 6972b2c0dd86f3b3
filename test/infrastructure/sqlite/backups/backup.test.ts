import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { HOUR_MS } from '../../../../domain/duration.ts'
import { refuseLackOfRoom } from '../../../../infrastructure/sqlite/backup-copy.ts'
import { backUpDatabase } from '../../../../infrastructure/sqlite/backups/backup.ts'
import { MIGRATIONS } from '../../../../infrastructure/sqlite/migrations.ts'
import { runAlibi } from '../../../support/service/alibi-process.ts'
import {
  addRows,
  bytesOf,
  countRows,
  modeOf,
  reasonOf,
  soldDatabase,
} from '../../../support/stores/sold-database.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const NEWEST = MIGRATIONS.at(-1)!.name

describe('a backup', () => {
  test('has everything, is one file that only its owner may read, and says what it is', () => {
    const { path } = soldDatabase(5)
    const file = join(temporaryFolder(), 'backup.db')
    const steps: string[] = []
    const report = backUpDatabase({
      databasePath: path,
      file,
      onStep: (step) => void steps.push(step),
    })

    const content = readFileSync(file)
    expect(report).toEqual({
      file,
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      version: NEWEST,
    })
    expect(steps).toEqual(['copying', 'checking'])
    expect([modeOf(file), modeOf(`${file}.sha256`)]).toEqual(['600', '600'])
    expect(readdirSync(join(file, '..')).toSorted()).toEqual(['backup.db', 'backup.db.sha256'])
    expect(countRows(file)).toBe(5)
  })

  test.each(['backup.db', 'with space.db', 'back\\slash.db', 'line\nbreak.db', 'æ–端.db'])(
    'has a checksum that sha256sum finds right, whatever its name: %p',
    async (name) => {
      const { path } = soldDatabase()
      const folder = temporaryFolder()
      backUpDatabase({ databasePath: path, file: join(folder, name) })
      const command = ['sha256sum', '--strict', '--check', `${name}.sha256`]
      expect((await runAlibi({ command, cwd: folder })).exitCode).toBe(0)

      addRows(join(folder, name), 1)
      expect((await runAlibi({ command, cwd: folder })).exitCode).toBe(1)
    },
  )

  test('has what is only in the log, while another connection is in the middle of a write', () => {
    const { path } = soldDatabase(1)
    const writer = new Database(path)
    writer.run("INSERT INTO log_outs VALUES ('committed@example.com', 1)")
    writer.run('BEGIN IMMEDIATE')
    writer.run("INSERT INTO log_outs VALUES ('not.yet@example.com', 1)")
    const file = join(temporaryFolder(), 'backup.db')
    backUpDatabase({ databasePath: path, file })
    writer.run('COMMIT')
    writer.close(true)

    expect(countRows(file)).toBe(2)
    expect(countRows(path)).toBe(3)
  })

  test('is made of a database that is older or newer than the executable, as it is', () => {
    const { path } = soldDatabase()
    const client = new Database(path)
    client.run("INSERT INTO schema_migrations VALUES ('9999_future', 'hash', 0)")
    client.close(true)
    const file = join(temporaryFolder(), 'backup.db')
    expect(backUpDatabase({ databasePath: path, file }).version).toBe('9999_future')
  })

  test('takes away what killed ones have left, and nothing else', () => {
    const { path } = soldDatabase()
    const folder = temporaryFolder()
    const names = {
      killed: '.alibi-work-killed',
      halfMade: '.alibi-new-halfAA',
      nearlyMade: '.alibi-new-halfCC',
      halfGone: '.alibi-work-halfBB',
      justNow: '.alibi-new-justAA',
      others: ['.alibi-work-mine', '.alibi-work-killed.txt', 'other'],
    }
    for (const name of Object.values(names).flat()) mkdirSync(join(folder, name))
    writeFileSync(join(folder, names.killed, 'copy.db'), 'half a backup')
    writeFileSync(join(folder, names.killed, 'lock'), '')
    writeFileSync(join(folder, names.nearlyMade, 'lock'), '')
    writeFileSync(join(folder, names.justNow, 'lock'), '')
    const longAgo = new Date(Date.now() - HOUR_MS)
    for (const name of [names.halfMade, names.nearlyMade, names.halfGone, ...names.others]) {
      utimesSync(join(folder, name), longAgo, longAgo)
    }
    backUpDatabase({ databasePath: path, file: join(folder, 'backup.db') })

    expect(readdirSync(folder).toSorted()).toEqual(
      ['backup.db', 'backup.db.sha256', names.justNow, ...names.others].toSorted(),
    )
  })

  test('leaves alone what another one is just making', () => {
    const { path } = soldDatabase()
    const folder = temporaryFolder()
    let others: readonly string[] = []
    backUpDatabase({
      databasePath: path,
      file: join(folder, 'first.db'),
      onStep(step) {
        if (step === 'copying') return
        backUpDatabase({ databasePath: path, file: join(folder, 'second.db') })
        others = readdirSync(folder)
      },
    })
    expect(others.filter((name) => name.startsWith('.alibi-work-')).length).toBe(1)
    expect(countRows(join(folder, 'first.db'))).toBe(3)
    expect(countRows(join(folder, 'second.db'))).toBe(3)
  })
})

describe('a backup that cannot be made leaves nothing behind and says why:', () => {
  type Case = readonly [
    string,
    (place: { folder: string; path: string }) => string,
    (file: string, path: string) => string,
  ]
  const CASES: readonly Case[] = [
    [
      'a file that is there',
      ({ folder }) => fill(join(folder, 'b.db')),
      (file) => `${file} is there already, and nothing is overwritten`,
    ],
    [
      'a checksum that is there',
      ({ folder }) => fill(join(folder, 'b.db.sha256')).replace('.sha256', ''),
      (file) => `${file}.sha256 is there already, and nothing is overwritten`,
    ],
    [
      'a folder that is not there',
      ({ folder }) => join(folder, 'none', 'b.db'),
      (file) => `there is no folder ${join(file, '..')}`,
    ],
    [
      'a file in place of the folder',
      ({ folder }) => join(fill(join(folder, 'file')), 'b.db'),
      (file) => `there is no folder ${join(file, '..')}`,
    ],
    ['a folder', ({ folder }) => folder, (file) => `${file} is a folder: name a file in it`],
    ['the database itself', ({ path }) => path, (file) => `${file} is the database itself`],
    [
      'another name of the database',
      ({ folder, path }) => {
        linkSync(path, join(folder, 'same.db'))
        return join(folder, 'same.db')
      },
      (file) => `${file} is the database itself`,
    ],
    [
      'the name of the database’s log',
      ({ path }) => `${path}-wal`,
      (file) => `${file} is a name that SQLite itself uses`,
    ],
    [
      'a database of something else',
      ({ folder, path }) => {
        const client = new Database(path)
        client.run('DROP TABLE schema_migrations')
        client.close(true)
        return join(folder, 'b.db')
      },
      (_, path) =>
        `the database ${path} could not be copied: it is not a database of Alibi: it has no migrations on record`,
    ],
    [
      'a database that is damaged',
      ({ folder, path }) => {
        const bytes = readFileSync(path)
        bytes.fill(0xff, 8192, 12_288)
        writeFileSync(path, bytes)
        return join(folder, 'b.db')
      },
      (_, path) => `the database ${path} could not be copied: database disk image is malformed`,
    ],
  ]

  test.each(CASES)('%s', (_, prepare, message) => {
    const place = soldDatabase()
    const file = prepare(place)
    const before = snapshot(place.folder)
    expect(reasonOf(() => backUpDatabase({ databasePath: place.path, file }))).toBe(
      message(file, place.path),
    )
    expect(snapshot(place.folder)).toEqual(before)
  })

  test('a file that comes while it is made', () => {
    const { path } = soldDatabase()
    const folder = temporaryFolder()
    const file = join(folder, 'b.db')
    const backUp = () => backUpDatabase({ databasePath: path, file, onStep: () => void fill(file) })
    expect(reasonOf(backUp)).toBe(`${file} is there already, and nothing is overwritten`)
    expect(snapshot(folder)).toEqual({ 'b.db': 'something' })
  })

  test('a folder that takes no files', () => {
    const { path } = soldDatabase()
    if (!existsSync('/proc')) {
      process.stdout.write('not tested here: there is no folder that takes no files of anybody\n')
      return
    }
    expect(reasonOf(() => backUpDatabase({ databasePath: path, file: '/proc/b.db' }))).toStartWith(
      'no file can be made in /proc: ENOENT',
    )
  })

  test('a disk with too little room, which says how much is needed', () => {
    const folder = temporaryFolder()
    expect(() => refuseLackOfRoom(folder, 1e6)).not.toThrow()
    expect(reasonOf(() => refuseLackOfRoom(folder, 1e18))).toMatch(
      /^the copy needs about 1000000000\.0 GB, and the disk of \S+ has only [0-9.]+ [kMG]B left$/,
    )
  })

  test('a row that refers to nothing, which a restore would refuse', () => {
    const { path, folder } = soldDatabase()
    const client = new Database(path)
    client.run('PRAGMA foreign_keys = OFF')
    client.run('CREATE TABLE a (id INTEGER PRIMARY KEY, other INTEGER REFERENCES a (id))')
    client.run('INSERT INTO a VALUES (1, 7)')
    client.close(true)
    expect(reasonOf(() => backUpDatabase({ databasePath: path, file: join(folder, 'b.db') }))).toBe(
      `the database ${path} could not be copied: the copy is damaged: row 1 of a refers to nothing`,
    )
    expect(readdirSync(folder)).toEqual(['alibi.db'])
  })

  function fill(path: string): string {
    writeFileSync(path, 'something')
    return path
  }

  function snapshot(folder: string): Record<string, string> {
    return Object.fromEntries(
      readdirSync(folder).map((name) => [name, bytesOf(join(folder, name))]),
    )
  }
})
