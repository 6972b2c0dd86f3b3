import { expect, test } from 'bun:test'
import { postgresDatabaseHealth } from '../../../infrastructure/postgres/database-health.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { query } from '../../support/postgres/query.ts'
import { emptyMigratedDatabase, openTestDatabase } from '../../support/stores/postgres-store.ts'

test.if(hasPostgres())(
  'a database whose last write failed is in doubt until a commit comes through',
  async () => {
    const url = await emptyMigratedDatabase()
    const database = openTestDatabase(url)
    const health = postgresDatabaseHealth(database)
    const failed = database.write([], async (transaction) => {
      const [row] = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await query(url, `SELECT pg_terminate_backend(${row?.pid})`)
      await transaction.query('SELECT pg_sleep(10)')
    })
    await expect(failed).rejects.toMatchObject({ outage: 'storage' })
    expect(health.lastWriteFailed()).toBe(true)

    await health.check()
    expect(health.lastWriteFailed()).toBe(true)
    await health.checkWritable()
    expect(health.lastWriteFailed()).toBe(false)
  },
)
