import { describe, expect, test } from 'bun:test'
import { ASK_EVERY_MS, LEADS_FOR_MS, LEASE_MS } from '../../application/upkeep/lease-leadership.ts'
import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts'
import { type LeaseDatabase, memoryLeases, movedReplicas } from '../support/moved-replicas.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { postgresLeases } from '../support/stores/postgres-leases.ts'

const DATABASES: [name: string, open: () => Promise<LeaseDatabase>][] = [
  ['memory', async () => memoryLeases()],
]
if (hasPostgres()) DATABASES.push(['PostgreSQL', postgresLeases])

describe.each(DATABASES)('the leadership by a lease on %s', (_, open) => {
  test('is one replica’s, which keeps it, however many there are', async () => {
    const { start, pass, leaders } = movedReplicas(await open())
    for (let count = 0; count < 5; count++) start()
    await pass(5 * MINUTE_MS)
    expect(leaders()).toHaveLength(1)
    const [leader] = leaders()
    expect(leader?.told()).toEqual(['leadership.taken'])
    expect(leader?.steps()).toBeGreaterThan(290)
  })

  test('begins at once where nobody has it', async () => {
    const { start, settle, leaders } = movedReplicas(await open())
    start()
    await settle()
    expect(leaders()).toHaveLength(1)
  })

  test('is another one’s within a minute when the leader ends without a word', async () => {
    const { start, pass, leaders, settle } = movedReplicas(await open())
    const dead = start()
    await settle()
    const heirs = [start(), start()]
    await pass(9 * SECOND_MS)
    dead.freeze()
    await pass(LEASE_MS - 10 * SECOND_MS)
    expect(heirs.filter((heir) => heir.isLeading())).toEqual([])
    await pass(10 * SECOND_MS + ASK_EVERY_MS)
    expect(leaders()).toHaveLength(1)
    expect(heirs).toContain(leaders()[0]!)
    expect(LEASE_MS + ASK_EVERY_MS).toBeLessThan(MINUTE_MS - 5 * SECOND_MS)
  })

  test('is another one’s at the next look when the leader stops, and never before its work has ended', async () => {
    const { start, pass, leaders, settle } = movedReplicas(await open())
    const leader = start()
    await settle()
    const heir = start()
    await pass(20 * SECOND_MS)
    leader.stop()
    await settle()
    expect([leader.isLeading(), leader.hasEnded()]).toEqual([false, true])
    await pass(ASK_EVERY_MS)
    expect(leaders()).toEqual([heir])
    // It was asked to stop, so that it has lost nothing.
    expect(leader.told()).toEqual(['leadership.taken'])
  })

  test('ends by the own clock of a leader that is cut off, before another one begins', async () => {
    const { start, pass, leaders, settle } = movedReplicas(await open())
    const leader = start()
    await settle()
    const heir = start()
    await pass(10 * SECOND_MS)
    leader.cutOff()
    await pass(LEADS_FOR_MS)
    expect([leader.isLeading(), heir.isLeading()]).toEqual([false, false])
    expect(leader.lines()).toContainEqual({
      level: 'info',
      event: 'leadership.lost',
      fields: { reason: 'the database has not answered in time' },
    })
    const done = leader.steps()
    await pass(MINUTE_MS - LEADS_FOR_MS)
    expect(leaders()).toEqual([heir])
    leader.reconnect()
    await pass(MINUTE_MS)
    expect(leaders()).toEqual([heir])
    expect(leader.steps()).toBe(done)
  })

  test('is not lost by a cut in which one renewal fails', async () => {
    const { start, pass, leaders, settle } = movedReplicas(await open())
    const leader = start()
    await settle()
    await pass(9 * SECOND_MS)
    leader.cutOff()
    // The renewal at 10 seconds fails at 15, and the next one is at 18.
    await pass(8 * SECOND_MS)
    leader.reconnect()
    await pass(MINUTE_MS)
    expect(leaders()).toEqual([leader])
    expect(leader.told()).toEqual(['leadership.taken'])
  })

  test('of a leader that was frozen is over before its next step', async () => {
    const { start, pass, leaders, settle } = movedReplicas(await open())
    const leader = start()
    await settle()
    const heir = start()
    await pass(10 * SECOND_MS)
    leader.freeze()
    const done = leader.steps()
    await pass(2 * MINUTE_MS)
    expect(leaders()).toEqual([heir])
    leader.thaw()
    await settle()
    expect([leader.steps(), leader.isLeading()]).toEqual([done, false])
    expect(leader.told()).toEqual(['leadership.taken', 'leadership.lost'])
    await pass(MINUTE_MS)
    expect([leaders(), leader.steps()]).toEqual([[heir], done])
  })

  test('of a leader that was frozen alone begins anew', async () => {
    const { start, pass, leaders, settle } = movedReplicas(await open())
    const leader = start()
    await settle()
    leader.freeze()
    await pass(2 * MINUTE_MS)
    leader.thaw()
    await settle()
    expect(leaders()).toEqual([leader])
    expect(leader.told()).toEqual(['leadership.taken', 'leadership.lost', 'leadership.taken'])
  })

  test('of a machine that was suspended is over as soon as the database is asked', async () => {
    const database = await open()
    const { start, pass, leaders, settle } = movedReplicas(database)
    const leader = start('00000000-0000-4000-8000-000000000001')
    await settle()
    // Its clock stands still, while another one comes and takes the lease.
    await database.pass(LEASE_MS)
    expect(await database.lease('00000000-0000-4000-8000-000000000002').take()).toBe(true)
    await pass(ASK_EVERY_MS)
    expect(leaders()).toEqual([])
    expect(leader.lines()).toContainEqual({
      level: 'info',
      event: 'leadership.lost',
      fields: { reason: 'another replica has it' },
    })
  })

  test('goes to exactly one of twenty that ask together, again and again', async () => {
    const database = await open()
    const leases = Array.from({ length: 20 }, () => database.lease(crypto.randomUUID()))
    for (let round = 1; round <= 25; round++) {
      const held = await Promise.all(leases.map((lease) => lease.take()))
      expect(held.filter(Boolean)).toHaveLength(1)
      const again = await Promise.all(leases.map((lease) => lease.take()))
      expect(again).toEqual(held)
      if (round % 2 === 0) await database.pass(LEASE_MS)
      else await Promise.all(leases.map((lease) => lease.giveBack()))
    }
  })

  test('is given back by whoever has it, and by nobody else', async () => {
    const database = await open()
    const [mine, other] = [crypto.randomUUID(), crypto.randomUUID()].map(database.lease)
    expect(await mine?.take()).toBe(true)
    await other?.giveBack()
    expect(await other?.take()).toBe(false)
    await mine?.giveBack()
    await mine?.giveBack()
    expect(await other?.take()).toBe(true)
  })
})

test('a stop of a leader that is cut off waits for no other answer than its own', async () => {
  const { start, pass, settle } = movedReplicas(memoryLeases())
  const leader = start()
  await settle()
  leader.cutOff()
  leader.stop()
  await settle()
  expect(leader.hasEnded()).toBe(false)
  await pass(5 * SECOND_MS)
  expect(leader.hasEnded()).toBe(true)
})
