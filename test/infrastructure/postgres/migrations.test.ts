import { describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { applyMigrations, MIGRATIONS } from '../../../infrastructure/postgres/migrations.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { openFreshDatabase } from '../../support/postgres/fresh-database.ts'

const PROCESSES = 12
const ROUNDS = 4

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  await client.connect()
  return client
}

describe.if(hasPostgres())('an empty database', () => {
  test('that many processes migrate at the same time is migrated once, and none of them fails', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await using database = await openFreshDatabase()
      const clients = await Promise.all(
        Array.from({ length: PROCESSES }, () => connect(database.url)),
      )
      const applied = await Promise.all(clients.map((client) => applyMigrations(client)))
      expect(applied.flat().toSorted()).toEqual(MIGRATIONS.map(({ name }) => name))
      await Promise.all(clients.map((client) => client.end()))
    }
  })
})
