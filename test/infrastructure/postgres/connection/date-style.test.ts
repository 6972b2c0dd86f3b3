import { expect, onTestFinished, test } from 'bun:test'
import type { PostgresConfig } from '../../../../infrastructure/config/database-settings.ts'
import { postgresConnectionOptions } from '../../../../infrastructure/postgres/connection/connection-options.ts'
import { openPostgres } from '../../../../infrastructure/postgres/connection/database.ts'
import { postgresStore } from '../../../../infrastructure/postgres/store.ts'
import { NO_TELEMETRY } from '../../../../infrastructure/telemetry/instrumented.ts'
import { production } from '../../../support/config-loading.ts'
import { NOON } from '../../../support/fakes.ts'
import { hasPostgres } from '../../../support/postgres/binaries.ts'
import { freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { hasPgBouncer, pgBouncer } from '../../../support/postgres/pgbouncer.ts'
import { query } from '../../../support/postgres/query.ts'
import { postgresServer } from '../../../support/postgres/shared-server.ts'
import { MIGRATED, testBudget } from '../../../support/stores/postgres-store.ts'

/** A database whose sessions write moments as people do in the given style, far from Greenwich. */
async function openDatabase(style: string) {
  const database = await freshDatabase({ template: MIGRATED })
  await query(
    database.superuserUrl,
    `ALTER DATABASE ${database.name} SET datestyle = ${style};
      ALTER DATABASE ${database.name} SET timezone = 'Asia/Kolkata'`,
  )
  return database
}

/** The store, on connections as the service makes them. */
function openStore(url: string) {
  const config = production({ DATABASE_URL: url }).database as PostgresConfig
  const [budget, monotonicMs] = [testBudget(), () => performance.now()]
  const database = openPostgres({
    ...config,
    connection: postgresConnectionOptions(config),
    budget,
    telemetry: NO_TELEMETRY,
    monotonicMs,
  })
  onTestFinished(() => database.close())
  return { database, store: postgresStore(database, { budget }) }
}

async function expectMomentsKept(url: string): Promise<void> {
  const { database, store } = openStore(url)
  await store.sweeps.recordRun('refunds', NOON)
  expect(await store.sweeps.findLastRun('refunds')).toEqual(NOON)
  expect(await database.query('SELECT last_run_at AS at FROM sweeps')).toEqual([{ at: NOON }])
}

if (hasPostgres()) {
  test.each(['German', 'SQL, DMY', 'Postgres, MDY'])(
    'moments are read as they were stored where the database writes them as %s',
    async (style) => {
      const { name, url } = await openDatabase(style)
      const [shown] = await query(url, 'SHOW datestyle')
      expect(shown).toMatchObject({ DateStyle: expect.not.stringContaining('ISO') })
      await expectMomentsKept(url)
      if (hasPgBouncer()) {
        const bouncer = await pgBouncer({ to: await postgresServer(), poolSize: 1 })
        // Whoever had the connection before has left it with a style.
        await query(bouncer.url(name), `SET datestyle = ${style}`)
        await expectMomentsKept(bouncer.url(name))
      }
    },
  )
}
