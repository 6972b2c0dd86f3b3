import { expect, test } from 'bun:test'
import { Client } from 'pg'
import { emailOf, sessionIdOf } from '../../bench/seed/addresses.ts'
import { fillPostgres, postgresDatabase } from '../../bench/seed/postgres-database.ts'
import { countStatements } from '../../bench/servers/statement-counter.ts'
import { hasPremium } from '../../domain/premium-grant.ts'
import { postgresStore } from '../../infrastructure/postgres/store.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { MIGRATED, openTestDatabase, testBudget } from '../support/stores/postgres-store.ts'

const BUYERS = 3

if (hasPostgres()) {
  test('a PostgreSQL is filled with buyers as a SQLite database is', async () => {
    const { url, superuserUrl } = await freshDatabase({ template: MIGRATED })
    await fillPostgres(superuserUrl, BUYERS)
    const database = postgresDatabase(url, superuserUrl)
    const store = postgresStore(openTestDatabase(url), { budget: testBudget() })
    for (let number = 0; number < BUYERS; number++) {
      const { grants } = await store.purchases.findAccount(emailOf(number))
      expect(hasPremium(grants)).toBe(true)
      const entries = await store.auditTrail.findByEmail(emailOf(number))
      expect(entries).toMatchObject([{ reason: 'paid', isActive: true, grantId: grants[0]?.id }])
    }
    await database.openPurchases({ first: 10, amount: 2 })
    await database.openPurchases({ first: 20, amount: 1 })
    expect(await store.purchases.findBySessionId(sessionIdOf(11))).toBeNull()
    expect(await store.purchases.findBySessionId(sessionIdOf(20))).not.toBeNull()
    expect(await database.countPaid()).toBe(BUYERS)
    expect(await database.mailCodes([emailOf(0)])).toEqual([expect.stringMatching(/^\d{6}$/)])
  })

  test('statements are counted, and those that are sent together as one round trip', async () => {
    const { url } = await freshDatabase()
    using counter = await countStatements(url)
    const options = { connectionString: counter.url, ...{ pipeline: true } }
    const client = new Client(options)
    await client.connect()
    await client.query('SELECT 1')
    expect(counter.asked()).toEqual({ statements: 1, roundTrips: 1 })
    await Promise.all([
      client.query('SELECT $1::text', ['é'.repeat(100_000)]),
      client.query('SELECT 2'),
    ])
    expect(counter.asked()).toEqual({ statements: 3, roundTrips: 2 })
    await client.end()
  })
}
