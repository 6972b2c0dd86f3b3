import { expect, test } from 'bun:test'
import { GONE_AFTER_MS } from '../../../application/upkeep/replicas.ts'
import { HOUR_MS, SECOND_MS } from '../../../domain/duration.ts'
import { findLiveReplicas, postgresReplicas } from '../../../infrastructure/postgres/replicas.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { age } from '../../support/stores/postgres-leases.ts'
import { emptyMigratedDatabase, openTestDatabase } from '../../support/stores/postgres-store.ts'

async function openReplicas() {
  const database = openTestDatabase(await emptyMigratedDatabase())
  let nowMs = 0
  return {
    database,
    find: () => findLiveReplicas(database),
    rows: async () => (await database.query('SELECT FROM replicas')).length,
    start(version = '1.4.0') {
      const id = crypto.randomUUID()
      const monotonicMs = () => nowMs
      return { id, ...postgresReplicas(database, { id, version, monotonicMs }) }
    },
    async pass(milliseconds: number) {
      nowMs += milliseconds
      await age(database, milliseconds)
    },
  }
}

if (hasPostgres()) {
  test('whoever says that it lives is there, with its version, and gone once it leaves', async () => {
    const { find, start, pass } = await openReplicas()
    expect(await find()).toEqual([])
    const one = start()
    await one.signOfLife()
    await pass(20 * SECOND_MS)
    const other = start('1.5.0')
    await other.signOfLife()
    await one.signOfLife()
    expect(await other.findLive()).toEqual([
      { id: one.id, version: '1.4.0', startedAt: expect.any(Date) },
      { id: other.id, version: '1.5.0', startedAt: expect.any(Date) },
    ])
    const [first, second] = await find()
    const apartMs = second!.startedAt.getTime() - first!.startedAt.getTime()
    expect(apartMs).toBeWithin(19 * SECOND_MS, HOUR_MS)
    await one.leave()
    await one.leave()
    expect(await find()).toMatchObject([{ id: other.id }])
  })

  test('whoever is silent for a minute counts as gone, and the next one deletes its row', async () => {
    const { find, start, pass, rows } = await openReplicas()
    const [silent, living] = [start(), start()]
    await Promise.all([silent.signOfLife(), living.signOfLife()])
    await pass(GONE_AFTER_MS - 20 * SECOND_MS)
    expect(await find()).toHaveLength(2)
    await living.signOfLife()
    await pass(20 * SECOND_MS)
    expect(await find()).toMatchObject([{ id: living.id }])
    expect(await rows()).toBe(2)
    await living.signOfLife()
    expect(await rows()).toBe(1)
  })

  test('one that was taken for gone is there again with its next sign', async () => {
    const { find, start, pass } = await openReplicas()
    const frozen = start()
    await frozen.signOfLife()
    await pass(HOUR_MS)
    const living = start()
    await living.signOfLife()
    await frozen.signOfLife()
    const [first, second] = await find()
    expect([first?.id, second?.id]).toEqual([frozen.id, living.id])
    const apartMs = second!.startedAt.getTime() - first!.startedAt.getTime()
    expect(apartMs).toBeWithin(HOUR_MS - 10 * SECOND_MS, HOUR_MS + 10 * SECOND_MS)
  })

  test('a clock of the database that is set back leaves nobody there for longer', async () => {
    const { database, find, start, rows } = await openReplicas()
    const [gone, living] = [start(), start()]
    await Promise.all([gone.signOfLife(), living.signOfLife()])
    await age(database, -HOUR_MS)
    expect(await find()).toEqual([])
    await living.signOfLife()
    expect(await find()).toMatchObject([{ id: living.id }])
    expect(await rows()).toBe(1)
  })

  test('twenty that wake up together after an hour do not hinder each other', async () => {
    const { find, start, pass } = await openReplicas()
    const all = Array.from({ length: 20 }, () => start())
    for (let round = 1; round <= 10; round++) {
      await Promise.all(all.map((replica) => replica.signOfLife()))
      await pass(HOUR_MS)
    }
    await Promise.all(all.map((replica) => replica.signOfLife()))
    expect((await find()).length).toBeGreaterThan(0)
    await Promise.all(all.map((replica) => replica.signOfLife()))
    expect(await find()).toHaveLength(20)
  })
}
