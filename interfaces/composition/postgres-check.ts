import {
  checkPostgres,
  POSTGRES_SUBJECTS,
} from '../../application/doctor/postgres/check-postgres.ts'
import type { Check } from '../../application/doctor/run-checks.ts'
import type { Clock } from '../../application/ports.ts'
import { isLoopback } from '../../domain/ip-address.ts'
import type { PostgresConfig } from '../../infrastructure/config/database-settings.ts'

/** For the connection and all questions together. */
const TIMEOUT_MS = 8_000

/** The check of a PostgreSQL. One that is on this machine is asked also where nobody is asked over the network. */
export function postgresCheck(database: PostgresConfig, clock: Clock): Check {
  const { hosts, tls, poolMax, shownUrl } = database
  const isRemote = hosts.some(({ host }) => !host.startsWith('/') && !isLoopback(host))
  return {
    names: POSTGRES_SUBJECTS,
    needsNetwork: isRemote,
    async run() {
      const { probePostgres } = await import('../../infrastructure/doctor/postgres.ts')
      const { readReplicas, readWaitingWork, TABLES } = await import(
        '../../infrastructure/doctor/postgres-database.ts'
      )
      const { postgresClient } = await import(
        '../../infrastructure/postgres/connection/connection-options.ts'
      )
      const { MIGRATIONS } = await import('../../infrastructure/postgres/migrations.ts')
      const facts = await probePostgres({
        place: shownUrl,
        isRemote,
        verifiesCertificate: tls.mode.startsWith('verify-') || tls.rootCertificate !== null,
        poolMax,
        timeoutMs: TIMEOUT_MS,
        open: () => postgresClient(database),
        migrations: MIGRATIONS,
        tables: TABLES,
        readReplicas,
        readWork: readWaitingWork,
        clock,
        monotonicMs: () => performance.now(),
      })
      return checkPostgres(facts)
    },
  }
}
