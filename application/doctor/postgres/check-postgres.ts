import { formatBytes } from '../../format.ts'
import { checkWork, type SchemaFacts, type WaitingWork } from '../database.ts'
import { type Finding, findingsOn } from '../finding.ts'
import { checkReplicas, type ReplicaFacts } from '../replicas.ts'
import { type ArchiveFacts, checkArchive } from './archive.ts'
import { type ConnectionFacts, checkConnections } from './connections.ts'
import { checkDurability, checkReplication, type DurabilityFacts } from './durability.ts'
import { checkRights, type RightsFacts } from './rights.ts'
import { checkTrouble, type PostgresTrouble } from './trouble.ts'

export type PostgresFacts = {
  /** `host:port/name`, or a socket's folder for the host. Without user and password. */
  readonly place: string
  /** Whether the way to it leaves this machine. */
  readonly isRemote: boolean
  /** Why it could not be asked; null where it could. */
  readonly trouble: PostgresTrouble | null
  /** Null where there is trouble. */
  readonly server: ServerFacts | null
}

export type ServerFacts = {
  /** As PostgreSQL writes it: `15.8`. */
  readonly version: string
  /** As `server_version_num`: 150008. */
  readonly versionNumber: number
  readonly roundTripMs: number
  readonly encryption: EncryptionFacts | null
  /** How much this machine's clock is ahead of the database's. */
  readonly aheadMs: number
  /** Null for a server that is too old to be asked more. */
  readonly content: PostgresContent | null
}

type EncryptionFacts = {
  /** As `TLSv1.3`. */
  readonly protocol: string
  /** Whether the server's certificate was checked. */
  readonly isVerified: boolean
}

export type PostgresContent = {
  readonly bytes: number
  readonly encoding: string
  /** Whether it follows another server, and takes no writes. */
  readonly isStandby: boolean
  /** Whether transactions can only read unless they ask for more. */
  readonly isReadOnly: boolean
  /** Null where the role may not read it. */
  readonly schema: SchemaFacts | null
  readonly rights: RightsFacts
  readonly connections: ConnectionFacts
  readonly durability: DurabilityFacts
  readonly archive: ArchiveFacts
  /** Null where the schema is not the executable's; so is `work`. */
  readonly replicas: ReplicaFacts | null
  readonly work: WaitingWork | null
}

/** The subjects of the findings. */
export const POSTGRES_SUBJECTS = [
  'database',
  'tls',
  'rights',
  'database clock',
  'replicas',
  'connections',
  'durability',
  'replication',
  'backups',
  'purchases',
  'outbox',
] as const

export const OLDEST_VERSION = 15
const FAR_MS = 20
const CLOCK_WARNING_MS = 5_000
const CLOCK_FAILED_MS = 60_000

export function checkPostgres(facts: PostgresFacts): readonly Finding[] {
  const { place, trouble, server } = facts
  if (trouble) return [checkTrouble(place, trouble)]
  if (!server) return []
  return [
    ...checkServer(place, server),
    checkEncryption(facts, server),
    ...(server.content ? checkRights(server.content.rights, server.content.schema) : []),
    checkDatabaseClock(server),
    ...(server.content ? checkContent(server.content) : []),
  ]
}

function checkContent(content: PostgresContent): readonly Finding[] {
  return [
    ...(content.replicas ? checkReplicas(content.replicas) : []),
    checkConnections(content.connections),
    ...checkDurability(content.durability),
    ...(content.isStandby ? [] : checkReplication(content.durability)),
    checkArchive(content.archive),
    ...(content.work ? checkWork(content.work) : []),
  ]
}

function checkServer(place: string, { content, ...server }: ServerFacts): readonly Finding[] {
  const { warning, failed } = findingsOn('database')
  const { version, versionNumber, roundTripMs } = server
  if (versionNumber < OLDEST_VERSION * 10_000) {
    return [
      failed(
        `${place} is PostgreSQL ${version}, and Alibi needs ${OLDEST_VERSION} or later`,
        'upgrade the server with pg_upgrade, or move to a newer one with pg_dump',
      ),
    ]
  }
  if (!content) return []
  const found: Finding[] = []
  if (content.isStandby) {
    found.push(
      failed(
        `${place} is a standby, which takes no writes`,
        'let DATABASE_URL name the primary, or an address that follows it at a failover',
      ),
    )
  } else if (content.isReadOnly) {
    found.push(
      failed(
        `${place} lets this role only read (default_transaction_read_only)`,
        'ALTER ROLE … RESET default_transaction_read_only, and the same for the database and the server',
      ),
    )
  }
  if (content.encoding !== 'UTF8') {
    found.push(
      failed(
        `${place} keeps texts in ${content.encoding}, which cannot hold every address and word`,
        "make a database with ENCODING 'UTF8' and TEMPLATE template0, and move there",
      ),
    )
  }
  if (roundTripMs >= FAR_MS) {
    found.push(
      warning(
        `${place} is far away: a round trip takes ${formatMs(roundTripMs)}, and requests take several`,
        'run the service in the region of its database, or look at the network between them',
      ),
    )
  }
  return [...found, ...checkSchema(place, { ...server, content })]
}

function checkSchema(
  place: string,
  { version, roundTripMs, content }: ServerFacts & { content: PostgresContent },
): readonly Finding[] {
  const { ok, warning, failed } = findingsOn('database')
  if (!content.schema) {
    return [failed(`${place} does not let this role read its tables`, 'see the finding on rights')]
  }
  const { state, version: schema, known } = content.schema
  switch (state) {
    case 'current': {
      const size = formatBytes(content.bytes)
      const trip = formatMs(roundTripMs)
      return [
        ok(`${place}, PostgreSQL ${version}, ${size}, schema ${schema}, ${trip} for a round trip`),
      ]
    }
    case 'empty':
      return [warning(`${place} is empty`, 'start the service, which fills it')]
    case 'older':
      return [
        warning(
          `${place} is older than this executable: it has schema ${schema}, the executable makes ${known}`,
          'start the service, or run "alibi migrate"',
        ),
      ]
    case 'newer':
      return [
        failed(
          `${place} is newer than this executable: it has schema ${schema}, the executable knows those up to ${known}`,
          'install the newer executable on this machine',
        ),
      ]
    case 'changed':
      return [
        failed(
          `${place} has the schema ${schema}, but not the one of this executable`,
          'use the executable of a release, or restore a backup',
        ),
      ]
    case 'foreign':
      return [
        failed(
          `${place} has tables of something else, which are called like Alibi's`,
          'look at DATABASE_URL, or give Alibi a schema of its own',
        ),
      ]
  }
}

function checkEncryption({ place, isRemote }: PostgresFacts, { encryption }: ServerFacts): Finding {
  const { ok, warning } = findingsOn('tls')
  if (!encryption) {
    if (!isRemote) return ok('none, and none is needed: the database is on this machine')
    return warning(
      `the connection to ${place} is not encrypted: whoever is on the way reads and changes everything`,
      'let the server take TLS, and add sslmode=verify-full to DATABASE_URL',
    )
  }
  const { protocol, isVerified } = encryption
  if (isVerified) return ok(`${protocol}, with the certificate checked`)
  if (!isRemote) return ok(protocol)
  return warning(
    `${protocol}, but nobody checks the certificate: whoever is on the way can stand in for the server`,
    'add sslmode=verify-full to DATABASE_URL, and sslrootcert where the authority is your own',
  )
}

/** Every replica goes by the database's clock, Stripe's signatures and tokens too. */
function checkDatabaseClock({ aheadMs, roundTripMs }: ServerFacts): Finding {
  const { ok, warning, failed } = findingsOn('database clock')
  const offMs = Math.abs(aheadMs)
  // Where in the round trip the database looked at its clock is not known.
  if (offMs <= Math.max(1_000, roundTripMs)) return ok('right, as this machine tells the time')
  const seconds = Math.round(offMs / 1000)
  const off = `${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} this machine's`
  const advice = "let both be synchronised, such as by chrony: the service goes by the database's"
  if (offMs >= CLOCK_FAILED_MS) return failed(off, advice)
  return offMs >= CLOCK_WARNING_MS ? warning(off, advice) : ok(off)
}

function formatMs(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`
}
