import { constants, Database, SQLiteError } from 'bun:sqlite'
import { existsSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type {
  DatabaseContent,
  DatabaseFacts,
  SchemaFacts,
  WaitingWork,
} from '../../application/doctor/database.ts'
import type { Clock } from '../../application/ports.ts'
import { describeSchema } from '../database/migration-history.ts'
import { describeWaitingWork } from '../database/waiting-work.ts'
import { codeOf } from '../files/node-errors.ts'
import { canMakeFiles, isOpenToOthers } from '../files/permissions.ts'
import { freeBytesOf, resolveDatabasePath } from './files.ts'
import { MIGRATIONS, readHistory } from './migrations.ts'
import { sqlitePurchaseRepository } from './purchase-repository.ts'

type FileFacts = NonNullable<DatabaseFacts['file']>

const BUSY_TIMEOUT_MS = 2000
const DAMAGE_LINES_MAX = 10

/**
 * Looks at the database, its files and its disk, whether the service runs or not. Writes nothing, leaves no file
 * behind, and never throws. Takes as long as SQLite takes to read all of the file, without a pause.
 */
export async function probeDatabase(path: string, clock: Clock): Promise<DatabaseFacts> {
  const absolutePath = resolveDatabasePath(path)
  const facts = { path: absolutePath, disk: probeDisk(absolutePath), file: null, content: null }
  try {
    const file = probeFile(absolutePath)
    if (!file) return { ...facts, trouble: null }
    try {
      return { ...facts, file, content: await probeContent(absolutePath, clock), trouble: null }
    } catch (error) {
      return { ...facts, file, trouble: troubleOf(error) }
    }
  } catch (error) {
    return { ...facts, trouble: troubleOf(error) }
  }
}

function troubleOf(error: unknown): string {
  if (error instanceof SQLiteError) return error.code ?? 'SQLITE_ERROR'
  return codeOf(error) ?? (error instanceof Error ? error.name : 'unknown')
}

/** Of the folder that the database is in, or will be. Null where the system does not say. */
function probeDisk(path: string): DatabaseFacts['disk'] {
  let folder = dirname(path)
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  try {
    return { freeBytes: freeBytesOf(folder) }
  } catch {
    return null
  }
}

function probeFile(path: string): FileFacts | null {
  const found = find(path)
  if (!found) return null
  const beside = ['-wal', '-shm'].map((ending) => ({
    path: path + ending,
    found: find(path + ending),
  }))
  return {
    bytes: found.size,
    logBytes: beside[0]?.found?.size ?? 0,
    isExposed: isOpenToOthers(found),
    foreignFiles: beside
      .filter((one) => one.found && one.found.uid !== found.uid)
      .map((one) => one.path),
    isFolderUsable: canMakeFiles(found.uid, statSync(dirname(path))),
  }
}

function find(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

async function probeContent(path: string, clock: Clock): Promise<DatabaseContent> {
  if (isInUse(path)) return readContent(openBeside(path), clock)
  try {
    const content = await readContent(openAlone(path), clock)
    if (!isInUse(path)) return content
  } catch (error) {
    if (!isInUse(path)) throw error
  }
  // The service has started meanwhile: a reading without a lock may be half of the old state and half of the new.
  return readContent(openBeside(path), clock)
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

async function readContent(client: Database, clock: Clock): Promise<DatabaseContent> {
  try {
    const schema = readSchema(client)
    return {
      damage: readDamage(client),
      danglingRows: client.prepare('PRAGMA foreign_key_check').all().length,
      schema,
      work: schema.state === 'current' ? await readWork(client, clock) : null,
    }
  } finally {
    client.close(true)
  }
}

function readDamage(client: Database): readonly string[] {
  return client
    .prepare<{ integrity_check: string }, []>(`PRAGMA integrity_check(${DAMAGE_LINES_MAX})`)
    .all()
    .map(({ integrity_check: line }) => line)
    .filter((line) => line !== 'ok')
}

function readSchema(client: Database): SchemaFacts {
  const tables = client
    .prepare<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
  const hasHistory = tables.some(({ name }) => name === 'schema_migrations')
  const history = hasHistory ? readHistory(client) : null
  return describeSchema(history, MIGRATIONS, { hasTables: tables.length > 0 })
}

async function readWork(client: Database, clock: Clock): Promise<WaitingWork> {
  const givenUp = client
    .prepare<{ id: string }, []>(
      "SELECT DISTINCT purchase_id AS id FROM outbox WHERE state = 'given_up' ORDER BY ended_at DESC",
    )
    .all()
    .map(({ id }) => id)
  const oldest = client
    .prepare<{ at: number | null }, []>(
      "SELECT min(created_at) AS at FROM outbox WHERE state = 'waiting'",
    )
    .get()
  const at = oldest?.at ?? null
  const oldestMessageAt = at === null ? null : new Date(at)
  const database = readOnly(client)
  const purchases = sqlitePurchaseRepository(database)
  return describeWaitingWork({ givenUp, oldestMessageAt }, { purchases, clock })
}

/** No lock is held for it: each statement sees a moment of its own. */
function readOnly(client: Database): Parameters<typeof sqlitePurchaseRepository>[0] {
  const read = async <Result>(work: () => Result) => work()
  return {
    path: client.filename,
    queries: drizzle(client),
    read,
    readTogether: read,
    write() {
      throw new Error('it is only looked at')
    },
    isUsable: () => true,
    commits: () => 0,
  }
}
