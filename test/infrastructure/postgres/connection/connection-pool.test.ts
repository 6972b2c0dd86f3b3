import { describe, expect, test } from 'bun:test'
import { until } from '../../../support/executable/until.ts'
import { hasPostgres } from '../../../support/postgres/binaries.ts'
import { query } from '../../../support/postgres/query.ts'
import { emptyMigratedDatabase, openTestDatabase } from '../../../support/stores/postgres-store.ts'

const STORAGE = { outage: 'storage' }

describe.if(hasPostgres())('a connection that the server ends', () => {
  test('between two statements of a transaction fails the transaction, and not the process', async () => {
    const url = await emptyMigratedDatabase()
    const database = openTestDatabase(url)

    const written = database.write([], async (transaction) => {
      const [row] = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid', [])
      await query(url, `SELECT pg_terminate_backend(${row?.pid})`)
      // The server says so before it is gone. Without a listener that is an error of nobody, which fails this test.
      const isThere = `SELECT FROM pg_stat_activity WHERE pid = ${row?.pid}`
      await until('it is gone', async () => (await query(url, isThere)).length === 0)
      await transaction.query('SELECT 1', [])
    })

    await expect(written).rejects.toMatchObject(STORAGE)
    expect(await database.query<{ one: number }>('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})
