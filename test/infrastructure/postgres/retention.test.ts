import { expect, test } from 'bun:test'
import { postgresRetention } from '../../../infrastructure/postgres/retention.ts'
import { NOON } from '../../support/fakes.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { emptyMigratedDatabase, openTestDatabase } from '../../support/stores/postgres-store.ts'

if (hasPostgres()) {
  test.each(['log_outs', 'erased_log_outs'])(
    'no more than the limit is pruned of %s that PostgreSQL takes for smaller than it is',
    async (table) => {
      const database = openTestDatabase(await emptyMigratedDatabase())
      const fill = (from: number, to: number) =>
        database.query(
          `INSERT INTO ${table} SELECT 'of ' || number, number FROM generate_series(${from}, ${to}) number`,
        )
      await fill(1, 1)
      await database.query(`ANALYZE ${table}`)
      await fill(2, 5)
      const { prune } = postgresRetention(database)
      for (const count of [2, 2, 1, 0]) {
        expect(await prune('log_outs', { upTo: NOON, limit: 2 })).toBe(count)
      }
    },
  )
}
