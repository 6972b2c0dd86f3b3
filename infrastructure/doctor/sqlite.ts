import { constants, Database, SQLiteError } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type Finding, findingsOn, made } from '../../application/doctor/finding.ts'
import { formatBytes, shellWord } from '../../application/format.ts'
import type { Clock } from '../../application/ports.ts'
import { comparePending, newestOf } from '../database/migration-history.ts'
import { IncompatibleDatabase } from '../database/outage.ts'
import { codeOf } from '../files/node-errors.ts'
import { canMakeFiles, isOpenToOthers } from '../files/permissions.ts'
import { freeBytesOf, resolveDatabasePath } from '../sqlite/files.ts'
import { MIGRATIONS, readHistory } from '../sqlite/migrations.ts'
import { sqlitePurchaseRepository } from '../sqlite/purchase-repository.ts'
import { checkWaitingWork } from './waiting-work.ts'

/** The subjects of the findings. */
export const SQLITE_SUBJECTS = ['database', 'disk', 'purchases', 'outbox'] as const

const BUSY_TIMEOUT_MS = 2000
const DAMAGE_LINES_MAX = 10
const MEGABYTE = 1024 * 1024
const DISK_FAILED_BYTES = 64 * MEGABYTE
const DISK_WARNING_BYTES = 256 * MEGABYTE
const LOG_WARNING_BYTES = 256 * MEGABYTE

const RESTORE = 'stop the service and put a backup in its place: alibi restore FILE'

/**
 * Looks at the database, its files and its disk, whether the service runs or not. Writes nothing, leaves no file
 * behind, and never throws. Takes as long as SQLite takes to read all of the file, without a pause.
 */
export async function checkSqlite(databasePath: string, clock: Clock): Promise<readonly Finding[]> {
  const { warning } = findingsOn('database')
  const path = resolveDatabasePath(databasePath)
  try {
    const file = find(path)
    if (!file) {
      const advice = 'start the service, which makes it, or look at DATABASE_URL'
      return [warning(`there is none at ${path} yet`, advice), ...checkDisk(path, 0)]
    }
    // Before it is opened, which may make files beside it.
    const files = checkFile(path)
    const { database, work } = await readContent(path, clock).catch((error: unknown) => ({
      database: [reportTrouble(path, error)],
      work: [],
    }))
    return [...files, ...database, ...checkDisk(path, file.size), ...work]
  } catch (error) {
    return [reportTrouble(path, error), ...checkDisk(path, 0)]
  }
}

function find(path: string) {
  return statSync(path, { throwIfNoEntry: false })
}

function reportTrouble(path: string, error: unknown): Finding {
  const { failed } = findingsOn('database')
  const code = error instanceof SQLiteError ? (error.code ?? 'SQLITE_ERROR') : codeOf(error)
  const trouble = code ?? (error instanceof Error ? error.name : 'unknown')
  if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(trouble)) {
    return failed(`${path} is damaged, or no database (${trouble})`, RESTORE)
  }
  if (/^SQLITE_(?:BUSY|LOCKED)/.test(trouble)) {
    const advice = `look who has it open (fuser ${shellWord(path)}), and try again`
    return failed(`${path} is locked by another process (${trouble})`, advice)
  }
  return failed(
    `${path} cannot be read (${trouble})`,
    'run this as root, or as the user of the service; else look at the file, its folder and the disk',
  )
}

function checkFile(path: string): readonly Finding[] {
  const { warning, failed } = findingsOn('database')
  const file = statSync(path)
  const log = find(`${path}-wal`)
  const foreign = [`${path}-wal`, `${path}-shm`].filter(
    (beside) => (find(beside)?.uid ?? file.uid) !== file.uid,
  )
  return made(
    ...foreign.map((beside) =>
      failed(
        `${beside} belongs to another user than ${path}: whoever has one cannot use the other`,
        `chown --reference=${shellWord(path)} ${shellWord(beside)}`,
      ),
    ),
    !canMakeFiles(file.uid, statSync(dirname(path))) &&
      failed(
        `whom ${path} belongs to cannot make files beside it, which SQLite has to`,
        'let the folder belong to the same user',
      ),
    isOpenToOthers(file) &&
      warning(`others on this machine get at ${path}`, `chmod o-rwx ${shellWord(path)}*`),
    (log?.size ?? 0) > LOG_WARNING_BYTES &&
      warning(
        `the log beside it has grown to ${formatBytes(log?.size ?? 0)}: something reads without an end`,
        `look who has it open (fuser ${shellWord(path)}), and restart the service`,
      ),
  )
}

/** Of the folder that the database is in, or will be. */
function checkDisk(path: string, databaseBytes: number): readonly Finding[] {
  const { ok, warning, failed, skipped } = findingsOn('disk')
  let folder = dirname(path)
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  let freeBytes: number
  try {
    freeBytes = freeBytesOf(folder)
  } catch {
    return [skipped('the system does not say what is free')]
  }
  const free = `${formatBytes(freeBytes)} free`
  const advice = 'make room: what cannot be written down cannot be sold'
  if (freeBytes < DISK_FAILED_BYTES) return [failed(`only ${free}`, advice)]
  const wanted = Math.max(DISK_WARNING_BYTES, 2 * databaseBytes)
  if (freeBytes >= wanted) return [ok(free)]
  return [warning(`${free}, less than ${formatBytes(wanted)}`, advice)]
}

type Content = { readonly database: readonly Finding[]; readonly work: readonly Finding[] }

async function readContent(path: string, clock: Clock): Promise<Content> {
  if (isInUse(path)) return checkContent(openBeside(path), path, clock)
  try {
    const content = await checkContent(openAlone(path), path, clock)
    if (!isInUse(path)) return content
  } catch (error) {
    if (!isInUse(path)) throw error
  }
  // The service has started meanwhile: a reading without a lock may be half of the old state and half of the new.
  return checkContent(openBeside(path), path, clock)
}

/** Whether there is more of the database than its file. */
function isInUse(path: string): boolean {
  return existsSync(`${path}-wal`) || existsSync(`${path}-journal`)
}

function openBeside(path: string): Database {
  const client = new Database(path, { readonly: true })
  client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  return client
}

/** Opens it without a log: a reader would make one, and could not remove it again. */
function openAlone(path: string): Database {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
  return new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
}

async function checkContent(client: Database, path: string, clock: Clock): Promise<Content> {
  try {
    const damage = checkDamage(client, path)
    const schema = checkSchema(client, path, damage.length === 0)
    const isCurrent = schema.level === 'ok'
    const work = isCurrent ? await readWork(client, clock) : []
    return { database: [...damage, schema], work }
  } finally {
    client.close(true)
  }
}

function checkDamage(client: Database, path: string): readonly Finding[] {
  const { failed } = findingsOn('database')
  const lines = client
    .prepare<{ integrity_check: string }, []>(`PRAGMA integrity_check(${DAMAGE_LINES_MAX})`)
    .all()
    .map(({ integrity_check: line }) => line)
    .filter((line) => line !== 'ok')
  const dangling = client.prepare('PRAGMA foreign_key_check').all().length
  const more = lines.length > 1 ? `, and ${lines.length - 1} more` : ''
  return made(
    lines.length > 0 && failed(`${path} is damaged: ${lines[0]}${more}`, RESTORE),
    dangling > 0 && failed(`${dangling} rows refer to a row that is not there`, RESTORE),
  )
}

function checkSchema(client: Database, path: string, isWhole: boolean): Finding {
  const { ok, warning, failed } = findingsOn('database')
  const tables = client
    .prepare<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
  if (tables.length === 0) return warning(`${path} is empty`, 'start the service, which fills it')
  if (!tables.some(({ name }) => name === 'schema_migrations')) {
    return failed(`${path} is the database of something else`, 'look at DATABASE_URL')
  }
  const history = readHistory(client)
  try {
    const pending = comparePending(history, MIGRATIONS, { subject: path, findBackup: () => null })
    if (pending.length === 0) {
      const bytes = statSync(path).size + (find(`${path}-wal`)?.size ?? 0)
      const whole = isWhole ? ', whole' : ''
      return ok(`${path}, ${formatBytes(bytes)}${whole}, schema ${newestOf(history)}`)
    }
    return warning(
      `${path} is older than this executable: it lacks ${pending.map(({ name }) => name).join(', ')}`,
      'start the service, or run "alibi migrate"',
    )
  } catch (error) {
    if (!(error instanceof IncompatibleDatabase)) throw error
    return failed(error.message, 'use the executable of a release, or restore a backup')
  }
}

/** No lock is held for it: each statement sees a moment of its own. */
function readWork(client: Database, clock: Clock): Promise<readonly Finding[]> {
  const read = async <Result>(work: () => Result) => work()
  const purchases = sqlitePurchaseRepository({
    path: client.filename,
    queries: drizzle(client),
    read,
    readTogether: read,
    write() {
      throw new Error('it is only looked at')
    },
    isUsable: () => true,
    commits: () => 0,
  })
  const query = async <Row>(text: string) => client.prepare<Row, []>(text).all()
  return checkWaitingWork({ query, purchases, now: clock.now() })
}
