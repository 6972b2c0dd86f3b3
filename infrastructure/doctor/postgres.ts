import { TLSSocket } from 'node:tls'
import { type Client, DatabaseError } from 'pg'
import type { WaitingWork } from '../../application/doctor/database.ts'
import {
  OLDEST_VERSION,
  type PostgresContent,
  type PostgresFacts,
  type ServerFacts,
} from '../../application/doctor/postgres/check-postgres.ts'
import type { PostgresTrouble } from '../../application/doctor/postgres/trouble.ts'
import type { ReplicaFacts } from '../../application/doctor/replicas.ts'
import { reasonOf } from '../../application/error-report.ts'
import type { Clock } from '../../application/ports.ts'
import { describeSchema, type Migration } from '../database/migration-history.ts'
import { codeOf } from '../files/node-errors.ts'
import { endConnection } from '../postgres/connection/single-connection.ts'
import { postgresFacts } from './postgres-facts.ts'

export type PostgresQuestion = {
  /** Of the operator's setting, without the password. */
  readonly place: string
  readonly isRemote: boolean
  /** Whether the settings ask for the server's certificate to be checked. */
  readonly verifiesCertificate: boolean
  /** DATABASE_POOL_MAX. */
  readonly poolMax: number
  readonly timeoutMs: number
  /** A client of the doctor's own, which has not connected yet. */
  readonly open: () => Client
  readonly migrations: readonly Migration[]
  /** The names of Alibi's tables. */
  readonly tables: readonly string[]
  readonly readReplicas: (client: Client) => Promise<ReplicaFacts>
  readonly readWork: (client: Client, now: Date) => Promise<WaitingWork>
  readonly clock: Clock
  /** Milliseconds that pass evenly. */
  readonly monotonicMs: () => number
}

const CLOCK_READINGS = 3

/** Asks the server by one connection. Changes nothing, and never throws. */
export async function probePostgres(question: PostgresQuestion): Promise<PostgresFacts> {
  const { place, isRemote, open, timeoutMs } = question
  const facts = { place, isRemote, trouble: null, server: null }
  let client: Client | null = null
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    // What waits for the connection fails with it, whatever the server does.
    client?.connection.stream.destroy()
  }, timeoutMs)
  try {
    client = open()
    // What ends the connection also fails the statement that is under way.
    client.on('error', () => {})
    await client.connect()
    return { ...facts, server: await readServer(client, question) }
  } catch (error) {
    return { ...facts, trouble: isLate ? TOO_LATE : troubleOf(error) }
  } finally {
    clearTimeout(timer)
    if (client) void endConnection(client)
  }
}

const TOO_LATE: PostgresTrouble = { kind: 'too_late', code: 'ETIMEDOUT' }

async function readServer(client: Client, question: PostgresQuestion): Promise<ServerFacts> {
  const facts = postgresFacts(client)
  const { version, versionNumber, backendId } = await facts.readVersion()
  const { roundTripMs, aheadMs } = await compareClocks(facts.readTime, question)
  const stream = client.connection.stream
  const protocol = stream instanceof TLSSocket ? (stream.getProtocol() ?? 'TLS') : null
  const isVerified = question.verifiesCertificate
  // A pooler makes up the number by which a statement could be cancelled.
  const hasPooler = Reflect.get(client, 'processID') !== backendId
  return {
    version,
    versionNumber,
    roundTripMs,
    aheadMs,
    encryption: protocol === null ? null : { protocol, isVerified },
    content:
      versionNumber < OLDEST_VERSION * 10_000
        ? null
        : await readContent(client, { ...question, hasPooler }),
  }
}

/** The reading with the shortest way there and back says most exactly what time it is there. */
async function compareClocks(
  readTime: () => Promise<Date>,
  { clock, monotonicMs }: Pick<PostgresQuestion, 'clock' | 'monotonicMs'>,
): Promise<{ roundTripMs: number; aheadMs: number }> {
  let best = { roundTripMs: Number.POSITIVE_INFINITY, aheadMs: 0 }
  for (let reading = 0; reading < CLOCK_READINGS; reading++) {
    const [asked, askedAt] = [monotonicMs(), clock.now().getTime()]
    const there = await readTime()
    const roundTripMs = monotonicMs() - asked
    if (roundTripMs < best.roundTripMs) {
      best = { roundTripMs, aheadMs: askedAt + roundTripMs / 2 - there.getTime() }
    }
  }
  return best
}

async function readContent(
  client: Client,
  question: PostgresQuestion & { hasPooler: boolean },
): Promise<PostgresContent> {
  const { poolMax, hasPooler, migrations, tables } = question
  const facts = postgresFacts(client)
  const { hasTables, ...state } = await facts.readState(tables)
  const history = await facts.readHistory()
  const schema =
    history === 'unreadable' ? null : describeSchema(history, migrations, { hasTables })
  const isCurrent = schema?.state === 'current'
  const [rights, limits, durability, archive] = [
    await facts.readRights(tables),
    await facts.readConnectionLimits(),
    await facts.readDurability(),
    await facts.readArchive(),
  ]
  const isUsable = isCurrent && rights.lacking.length === 0
  const replicas = isUsable ? await question.readReplicas(client) : null
  return {
    ...state,
    schema,
    rights,
    connections: { poolMax, replicas: replicas?.live.length ?? null, hasPooler, limits },
    replicas,
    durability,
    archive,
    work: isUsable ? await question.readWork(client, await facts.readTime()) : null,
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const KIND_OF_STATE: Readonly<Record<string, PostgresTrouble['kind']>> = {
  '28000': 'login_refused',
  '28P01': 'login_refused',
  '3D000': 'no_database',
  '42501': 'login_refused',
  '53300': 'too_many_connections',
  '57P01': 'starting_or_stopping',
  '57P02': 'starting_or_stopping',
  '57P03': 'starting_or_stopping',
}

function troubleOf(error: unknown): PostgresTrouble {
  const code = codeOf(error)
  // Of several hosts, the one that says most is the cause.
  if (code === null && error instanceof Error && error.cause) return troubleOf(error.cause)
  if (code === null) {
    return { kind: 'failed', code: error instanceof Error ? reasonOf(error) : 'unknown' }
  }
  if (error instanceof DatabaseError) return { kind: KIND_OF_STATE[code] ?? 'failed', code }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { kind: 'unknown_name', code }
  if (/CERT|SIGNATURE|SELF_SIGNED/.test(code)) return { kind: 'certificate', code }
  if (/^E(?:CONN|HOST|NET|TIMEDOUT|NOENT|ACCES)/.test(code)) return { kind: 'unreachable', code }
  return { kind: 'failed', code }
}
