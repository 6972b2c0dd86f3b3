import { HOUR_MS } from '../../domain/duration.ts'
import { formatBytes, shellWord } from '../format.ts'
import { type Finding, findingsOn } from './finding.ts'

export type DatabaseFacts = {
  /** Absolute. */
  readonly path: string
  readonly disk: { readonly freeBytes: number } | null
  readonly file: FileFacts | null
  /** Null where there is no file, or where it could not be read: see `trouble`. */
  readonly content: DatabaseContent | null
  /** Why SQLite could not read the file, such as SQLITE_NOTADB. */
  readonly trouble: string | null
}

type FileFacts = {
  readonly bytes: number
  /** Of the write-ahead log, which SQLite copies into the file from time to time. */
  readonly logBytes: number
  /** Whether others than its owner and group may read or write it. */
  readonly isExposed: boolean
  /** The files beside it that belong to another user. */
  readonly foreignFiles: readonly string[]
  /** Whether its owner can make files in its folder, as SQLite has to. */
  readonly isFolderUsable: boolean
}

export type DatabaseContent = {
  /** What the integrity check found, in SQLite's words; none where all is well. */
  readonly damage: readonly string[]
  /** How many rows refer to a row that is not there. */
  readonly danglingRows: number
  readonly schema: SchemaFacts
  /** Null where the schema is not the executable's. */
  readonly work: WaitingWork | null
}

export type SchemaFacts = {
  /** `foreign`: the tables of something else. `changed`: a migration is not the one of this executable. */
  readonly state: 'current' | 'older' | 'newer' | 'changed' | 'foreign' | 'empty'
  /** The newest migration that the database has. */
  readonly version: string
  /** The newest one that the executable has. */
  readonly known: string
}

/** What waits for the operator. */
export type WaitingWork = {
  /** The purchases whose messages were given up. */
  readonly givenUp: readonly string[]
  /** How long the oldest message that waits has been waiting; null where none does. */
  readonly oldestMessageMs: number | null
  readonly purchasesInReview: number
}

const MEGABYTE = 1024 * 1024
const DISK_FAILED_BYTES = 64 * MEGABYTE
const DISK_WARNING_BYTES = 256 * MEGABYTE
const LOG_WARNING_BYTES = 256 * MEGABYTE
const MESSAGE_WAITS_LONG_MS = 2 * HOUR_MS
const LISTED_MAX = 3

const RESTORE = 'stop the service and put a backup in its place: alibi restore FILE'

export function checkDatabase(facts: DatabaseFacts): readonly Finding[] {
  return [
    ...checkFile(facts),
    ...(facts.content ? checkContent(facts, facts.content) : []),
    ...(facts.disk ? [checkDisk(facts.disk, facts.file)] : []),
    ...(facts.content?.work ? checkWork(facts.content.work) : []),
  ]
}

function checkFile({ path, file, trouble }: DatabaseFacts): readonly Finding[] {
  const { warning, failed } = findingsOn('database')
  if (!file && trouble === null) {
    return [
      warning(
        `there is none at ${path} yet`,
        'start the service, which makes it, or look at DATABASE_URL',
      ),
    ]
  }
  const found: Finding[] = []
  if (trouble !== null) found.push(reportTrouble(path, trouble))
  if (!file) return found
  const { isExposed, foreignFiles, isFolderUsable, logBytes } = file
  for (const foreign of foreignFiles) {
    found.push(
      failed(
        `${foreign} belongs to another user than ${path}: whoever has one cannot use the other`,
        `chown --reference=${shellWord(path)} ${shellWord(foreign)}`,
      ),
    )
  }
  if (!isFolderUsable) {
    found.push(
      failed(
        `whom ${path} belongs to cannot make files beside it, which SQLite has to`,
        'let the folder belong to the same user',
      ),
    )
  }
  if (isExposed) {
    found.push(warning(`others on this machine get at ${path}`, `chmod o-rwx ${shellWord(path)}*`))
  }
  if (logBytes > LOG_WARNING_BYTES) {
    found.push(
      warning(
        `the log beside it has grown to ${formatBytes(logBytes)}: something reads without an end`,
        `look who has it open (fuser ${shellWord(path)}), and restart the service`,
      ),
    )
  }
  return found
}

function reportTrouble(path: string, trouble: string): Finding {
  const { failed } = findingsOn('database')
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

function checkContent(facts: DatabaseFacts, content: DatabaseContent): readonly Finding[] {
  const { failed } = findingsOn('database')
  const { damage, danglingRows } = content
  const found: Finding[] = []
  if (damage.length > 0) {
    const [first = ''] = damage
    const more = damage.length > 1 ? `, and ${damage.length - 1} more` : ''
    found.push(failed(`${facts.path} is damaged: ${first}${more}`, RESTORE))
  }
  if (danglingRows > 0) {
    found.push(failed(`${danglingRows} rows refer to a row that is not there`, RESTORE))
  }
  return [...found, checkSchema(facts, content)]
}

function checkSchema(
  { path, file }: DatabaseFacts,
  { damage, danglingRows, schema: { state, version, known } }: DatabaseContent,
): Finding {
  const { ok, warning, failed } = findingsOn('database')
  switch (state) {
    case 'current': {
      const size = file ? `, ${formatBytes(file.bytes + file.logBytes)}` : ''
      const whole = damage.length + danglingRows === 0 ? ', whole' : ''
      return ok(`${path}${size}${whole}, schema ${version}`)
    }
    case 'empty':
      return warning(`${path} is empty`, 'start the service, which fills it')
    case 'older':
      return warning(
        `${path} is older than this executable: it has schema ${version}, the executable makes ${known}`,
        'start the service, or run "alibi migrate"',
      )
    case 'newer':
      return failed(
        `${path} is newer than this executable: it has schema ${version}, the executable knows those up to ${known}`,
        'install the newer executable again, or restore a backup from before it',
      )
    case 'changed':
      return failed(
        `${path} has the schema ${version}, but not the one of this executable`,
        'use the executable of a release, or restore a backup',
      )
    case 'foreign':
      return failed(`${path} is the database of something else`, 'look at DATABASE_URL')
  }
}

function checkDisk({ freeBytes }: { freeBytes: number }, file: FileFacts | null): Finding {
  const { ok, warning, failed } = findingsOn('disk')
  const free = `${formatBytes(freeBytes)} free`
  const advice = 'make room: what cannot be written down cannot be sold'
  if (freeBytes < DISK_FAILED_BYTES) return failed(`only ${free}`, advice)
  const wanted = Math.max(DISK_WARNING_BYTES, 2 * (file?.bytes ?? 0))
  if (freeBytes >= wanted) return ok(free)
  return warning(`${free}, less than ${formatBytes(wanted)}`, advice)
}

/** Of a database of any kind. */
export function checkWork(work: WaitingWork): readonly Finding[] {
  return [checkPurchases(work), ...checkOutbox(work)]
}

function checkPurchases({ purchasesInReview }: WaitingWork): Finding {
  const { ok, warning } = findingsOn('purchases')
  if (purchasesInReview === 0) return ok('none waits for you')
  return warning(
    `${purchasesInReview} ${purchasesInReview === 1 ? 'waits' : 'wait'} for you: money came that was not asked for`,
    'alibi purchases --review',
  )
}

function checkOutbox({ givenUp, oldestMessageMs }: WaitingWork): readonly Finding[] {
  const { ok, warning } = findingsOn('outbox')
  const found: Finding[] = []
  if (givenUp.length > 0) {
    const [first = ''] = givenUp
    const listed = givenUp.slice(0, LISTED_MAX).join(', ')
    const more = givenUp.length > LISTED_MAX ? ', …' : ''
    found.push(
      warning(
        `mails or refunds were given up, of the purchases ${listed}${more}`,
        `alibi purchases show ${first}`,
      ),
    )
  }
  if (oldestMessageMs !== null && oldestMessageMs > MESSAGE_WAITS_LONG_MS) {
    const hours = Math.floor(oldestMessageMs / HOUR_MS)
    found.push(
      warning(
        `a mail or a refund has been waiting for ${hours} hours`,
        'see that the service runs, and what its log says of the mail provider and of Stripe',
      ),
    )
  }
  return found.length > 0 ? found : [ok('nothing is stuck')]
}
