import { describe, expect, spyOn, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Unavailable } from '../../../application/unavailable.ts'
import { sqliteStatistics } from '../../../infrastructure/sqlite/statistics.ts'
import { processorMs } from '../../support/processor-time.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PURCHASES = 100_000
const ENTRIES = 25_000

function open() {
  const path = join(temporaryFolder(), 'alibi.db')
  const database = openTemporaryDatabase(path)
  return {
    path,
    client: database.queries.$client,
    database,
    statistics: sqliteStatistics(database),
  }
}

const ADD_ENTRIES = `
  INSERT INTO audit_entries (at, by_whom, grant_id, email, reason, object_id, is_active)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES})
  SELECT i, 'webhook', 'g' || i, 'e' || i, 'paid', 'g' || i, i % 5 > 0 FROM n`

const ADD_PURCHASES = `
  INSERT INTO purchases (id, email, language, price_amount, price_currency, live, state, created_at, expires_at)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PURCHASES})
  SELECT 'pur_' || i, 'e' || i, 'en', 400, 'eur', 0, 'closed', i, i FROM n`

describe('the statistics of SQLite', () => {
  test('count as many entries at once as take a few milliseconds, and the rest at the next calls', async () => {
    const { client, statistics } = open()
    client.run(ADD_ENTRIES)
    let pages = 0
    let active = 0
    let ended = 0
    for (let last = 0, isAll = false; !isAll; pages++) {
      const page = await statistics.countGrantChanges(last)
      for (const { isActive, changes } of page.counts) {
        if (isActive) active += changes
        else ended += changes
      }
      last = page.last
      isAll = page.isAll
    }
    expect({ pages, active, ended }).toEqual({ pages: 3, active: 20_000, ended: 5000 })
  })

  test('count a large database', async () => {
    const { client, statistics } = open()
    client.run(ADD_PURCHASES)
    const ms = await processorMs(async () =>
      expect((await statistics.countPurchases()).closed).toBe(PURCHASES),
    )
    console.log(`to count ${PURCHASES} purchases takes ${ms.toFixed(1)} ms`)
  })

  test('look at nothing but through an index, in the order of it', async () => {
    const { client, database } = open()
    const prepare = spyOn(client, 'prepare')
    const statistics = sqliteStatistics(database)
    await statistics.countPurchases()
    await statistics.countOutbox()
    await statistics.rankWrongTries({ from: new Date(0), until: new Date(1), top: 1 })
    await statistics.countServiceMails({ since: new Date(0), until: new Date(1) })
    await statistics.rankServiceMails({ since: new Date(0), until: new Date(1), top: 1 })
    await statistics.countGrantChanges(await statistics.findLastGrantChange())
    const statements = prepare.mock.calls.map(([statement]) => statement)
    prepare.mockRestore()

    expect(statements).toHaveLength(10)
    for (const statement of statements) {
      const plan = client.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${statement}`).all()
      const details = plan.map(({ detail }) => detail)
      expect(details.filter((detail) => /^SCAN (?!entries$|slice$)\S+$/.test(detail))).toEqual([])
      // What is grouped there are 10,000 entries, the wrong codes of an hour, or the mails that MAIL_LIMIT counts.
      const isGrouped = /audit_entries|otp_wrong_tries|service_mails.+group by/.test(statement)
      if (!isGrouped) expect(details.join()).not.toContain('TEMP B-TREE')
    }
  })

  test('know the sizes of the files, and the room that is left on the disk', async () => {
    const { path, client, statistics } = open()
    client.run(ADD_ENTRIES)
    const sizes = (await statistics.measureFiles())!
    expect(sizes.databaseBytes).toBe(statSync(path).size)
    expect(sizes.logBytes).toBe(statSync(`${path}-wal`).size)
    expect(sizes.logBytes).toBeGreaterThan(1_000_000)
    expect(sizes.freeBytes).toBeGreaterThan(0)

    client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const folded = (await statistics.measureFiles())!
    expect(folded.logBytes).toBe(0)
    expect(folded.databaseBytes).toBeGreaterThan(sizes.databaseBytes)
  })

  test('know of no files where there are none', async () => {
    const statistics = sqliteStatistics(openTemporaryDatabase(':memory:'))
    expect(await statistics.measureFiles()).toBeNull()
  })

  test('are an outage once the database is closed', async () => {
    const { database, statistics } = open()
    database.close()
    await expect(statistics.countPurchases()).rejects.toThrow(Unavailable)
  })
})
