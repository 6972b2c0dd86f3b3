import { parsePostgresUrl } from '../../../infrastructure/config/postgres-url.ts'
import type { PostgresQuestion } from '../../../infrastructure/doctor/postgres.ts'
import {
  readReplicas,
  readWaitingWork,
  TABLES,
} from '../../../infrastructure/doctor/postgres-database.ts'
import { postgresClient } from '../../../infrastructure/postgres/connection/connection-options.ts'
import { MIGRATIONS } from '../../../infrastructure/postgres/migrations.ts'
import { systemClock } from '../../../infrastructure/system-clock.ts'
import { PATIENCE_MS } from '../patience.ts'

/** As `alibi doctor` asks, with the service's own connection and tables. */
export function doctorQuestion(url: string, own: Partial<PostgresQuestion> = {}): PostgresQuestion {
  const parsed = parsePostgresUrl(url)
  if (parsed?.kind !== 'postgres') throw new Error('no URL of a PostgreSQL')
  const config = { ...parsed, poolMax: 10, timeoutMs: PATIENCE_MS }
  return {
    place: config.shownUrl,
    isRemote: false,
    verifiesCertificate: config.tls.mode.startsWith('verify-'),
    poolMax: config.poolMax,
    timeoutMs: PATIENCE_MS,
    open: () => postgresClient(config),
    migrations: MIGRATIONS,
    tables: TABLES,
    readReplicas,
    readWork: readWaitingWork,
    clock: systemClock(),
    monotonicMs: () => performance.now(),
    ...own,
  }
}
