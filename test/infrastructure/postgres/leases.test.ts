import { expect, test } from 'bun:test'
import { LEASE_MS } from '../../../application/upkeep/lease-leadership.ts'
import { HOUR_MS, SECOND_MS } from '../../../domain/duration.ts'
import { isLeaseHeld, postgresLease } from '../../../infrastructure/postgres/leases.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { holdRows } from '../../support/postgres/held-rows.ts'
import { age } from '../../support/stores/postgres-leases.ts'
import { emptyMigratedDatabase, openTestDatabase } from '../../support/stores/postgres-store.ts'

async function openLeases() {
  const url = await emptyMigratedDatabase()
  const database = openTestDatabase(url)
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
  return {
    url,
    database,
    one: postgresLease(database, { holder: one }),
    other: postgresLease(database, { holder: other }),
    ids: { one, other },
    row: async () => (await database.query('SELECT *, xmin, xmax, ctid FROM leases'))[0],
    /** For how long the lease still lasts, by the database's clock. */
    async leftMs() {
      const [row] = await database.query<{ left: number }>(
        'SELECT (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS left FROM leases',
      )
      return row?.left
    },
  }
}

if (hasPostgres()) {
  test('who asks for a lease that another one has writes nothing', async () => {
    const { one, other, row } = await openLeases()
    await one.take()
    const before = await row()
    expect(before).toBeDefined()
    expect(await other.take()).toBe(false)
    await other.giveBack()
    expect(await row()).toEqual(before)
  })

  test('a lease is taken in the moment in which it ends, and not before', async () => {
    const { database, one, other } = await openLeases()
    await one.take()
    await age(database, LEASE_MS - 20 * SECOND_MS)
    expect(await other.take()).toBe(false)
    await age(database, 20 * SECOND_MS)
    expect(await other.take()).toBe(true)
    expect(await one.take()).toBe(false)
  })

  test('a holder that comes back late renews what nobody has taken', async () => {
    const { database, one, other } = await openLeases()
    await one.take()
    await age(database, HOUR_MS)
    expect(await isLeaseHeld(database)).toBe(false)
    expect(await one.take()).toBe(true)
    expect([await isLeaseHeld(database), await other.take()]).toEqual([true, false])
  })

  test('where the clock of the database is set back, the lease lasts for one length at most', async () => {
    const { database, one, other, ids, row, leftMs } = await openLeases()
    await one.take()
    await age(database, -HOUR_MS)
    // The holder may still work, so that the lease is only made shorter.
    expect(await other.take()).toBe(false)
    expect(await row()).toMatchObject({ holder: ids.one })
    expect(await leftMs()).toBeLessThanOrEqual(LEASE_MS)
    await age(database, LEASE_MS)
    expect(await other.take()).toBe(true)
  })

  test('who waited for a renewal judges by what that one left', async () => {
    const { url, database, one, other, ids } = await openLeases()
    await one.take()
    await age(database, HOUR_MS)
    // A renewal that takes a while, begun before the other one asks.
    const renewing = "UPDATE leases SET expires_at = clock_timestamp() + '35 s'"
    const renewal = await holdRows(url, renewing)
    const taking = other.take()
    await renewal.untilWaitedFor()
    await renewal.commit()
    expect(await taking).toBe(false)
    const held = await database.query('SELECT holder FROM leases')
    expect(held).toEqual([{ holder: ids.one }])
  })
}
