import { describe, expect, test } from 'bun:test'
import { Unavailable } from '../../../application/unavailable.ts'
import { readDatabaseStatistics } from '../../../application/upkeep/database-statistics.ts'
import type { Replica } from '../../../application/upkeep/replicas.ts'
import type { Backups } from '../../../application/upkeep/scheduled-backups.ts'
import { HOUR_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import { DISCREPANCY_KINDS, type DiscrepancyKind } from '../../../domain/ledger.ts'
import { draftMessage } from '../../../domain/outbox.ts'
import { readExposition } from '../../support/exposition.ts'
import { fakePorts, NOON, ORIGIN } from '../../support/fakes.ts'
import { openMetrics } from '../../support/open-metrics.ts'
import { networkNumber } from '../../support/senders.ts'
import { paidPurchase } from '../../support/stores/contract-purchases.ts'

const WRONG_TRY = { at: NOON, network: networkNumber(1) }

describe('what is so', () => {
  test('is read from the database at every reading', async () => {
    const { ports, samples } = await openMetrics()
    const purchase = paidPurchase('one')
    await ports.purchases.update(purchase.email, ORIGIN, () => ({
      purchase,
      messages: [draftMessage('payment_confirmed', purchase, NOON)],
    }))
    ports.clock.advance(HOUR_MS)
    await ports.otps.update(
      { email: 'anna@example.com' as Email, sender: 'stranger' },
      (record) => ({
        record: { ...record, wrongTries: [WRONG_TRY, WRONG_TRY] },
      }),
    )
    expect(await samples()).toMatchObject({
      alibi_ready: 1,
      alibi_database_up: 1,
      'alibi_purchases{state="paid"}': 1,
      'alibi_purchases{state="open"}': 0,
      'alibi_outbox_messages{kind="payment_confirmed",state="waiting"}': 1,
      'alibi_outbox_messages{kind="payment_confirmed",state="given_up"}': 0,
      'alibi_outbox_oldest_seconds{kind="payment_confirmed",state="waiting"}': 3600,
      'alibi_outbox_oldest_seconds{kind="duplicate_refund",state="waiting"}': 0,
      alibi_wrong_code_tries_last_hour: 2,
      'alibi_wrong_code_tries_worst_last_hour{of="address"}': 2,
      'alibi_wrong_code_tries_worst_last_hour{of="network"}': 2,
      alibi_purchases_awaiting_review: 0,
      alibi_reconciler_behind_seconds: 0,
      [`alibi_build_info{version="1.2.3",bun="${Bun.version}"}`]: 1,
    })
    ports.clock.advance(1)
    expect((await samples())['alibi_wrong_code_tries_last_hour']).toBe(0)
  })

  test('changes of grants count once, from the moment that the service watches', async () => {
    const ports = fakePorts()
    const { statistics } = ports
    await ports.premiumGrants.add({ id: 'before', email: 'a@example.com' as Email }, ORIGIN)
    const { samples } = await openMetrics({ statistics })
    const granted = 'alibi_grant_changes_total{by="operator",reason="granted",active="true"}'
    expect((await samples())[granted]).toBe(0)
    await ports.premiumGrants.add({ id: 'after', email: 'b@example.com' as Email }, ORIGIN)
    expect((await samples())[granted]).toBe(1)
    expect((await samples())[granted]).toBe(1)

    await ports.premiumGrants.revokeAll('b@example.com' as Email, ORIGIN)
    expect(
      (await samples())['alibi_grant_changes_total{by="operator",reason="revoked",active="false"}'],
    ).toBe(1)
  })

  test('also those before the first reading, and more than fit into one question', async () => {
    const pages = [
      {
        counts: [{ by: 'page', reason: 'paid', isActive: true, changes: 2 }],
        last: 7,
        isAll: false,
      },
      {
        counts: [{ by: 'page', reason: 'paid', isActive: true, changes: 1 }],
        last: 9,
        isAll: true,
      },
    ] as const
    const asked: number[] = []
    const { samples } = await openMetrics({
      statistics: {
        findLastGrantChange: async () => 5,
        async countGrantChanges(since) {
          asked.push(since)
          return pages[asked.length - 1] ?? { counts: [], last: 9, isAll: true }
        },
      },
    })
    const paid = 'alibi_grant_changes_total{by="page",reason="paid",active="true"}'
    expect((await samples())[paid]).toBe(3)
    expect((await samples())[paid]).toBe(3)
    expect(asked).toEqual([5, 7, 9])
  })

  test('nothing is older than it can be after the clock was set back', async () => {
    const { ports, samples } = await openMetrics()
    const purchase = paidPurchase('one')
    await ports.purchases.update(purchase.email, ORIGIN, () => ({
      purchase,
      messages: [draftMessage('payment_confirmed', purchase, NOON)],
    }))
    ports.clock.advance(-HOUR_MS)
    const oldest = 'alibi_outbox_oldest_seconds{kind="payment_confirmed",state="waiting"}'
    expect((await samples())[oldest]).toBe(0)
  })

  test('processor time is in seconds', async () => {
    const { samples } = await openMetrics()
    const spent = () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }
    const before = spent()
    const { process_cpu_seconds_total: told } = await samples()
    expect(told).toBeGreaterThanOrEqual(before)
    expect(told).toBeLessThanOrEqual(spent())
  })

  test('a database that does not answer costs its own metrics and no others, and nothing stale is told', async () => {
    const ports = fakePorts()
    let isDown = true
    const { record, samples } = await openMetrics({
      isReady: async () => !isDown,
      async readDatabaseStatistics() {
        if (isDown) throw new Unavailable('storage', { cause: new Error('the disk is gone') })
        return readDatabaseStatistics(ports)
      },
    })
    record({ kind: 'logged', level: 'error' })
    const down = await samples()
    expect(down).toMatchObject({
      alibi_ready: 0,
      alibi_database_up: 0,
      'alibi_log_lines_total{level="error"}': 1,
      process_start_time_seconds: expect.any(Number),
    })
    expect(
      Object.keys(down).filter((name) => /^alibi_(?:purchases|outbox|wrong)/.test(name)),
    ).toEqual([])

    isDown = false
    expect(await samples()).toMatchObject({
      alibi_database_up: 1,
      'alibi_purchases{state="paid"}': 0,
    })
  })

  test('a database that does not answer at the start is watched from when it does', async () => {
    const { statistics, premiumGrants } = fakePorts()
    let isDown = true
    const { samples } = await openMetrics({
      statistics: {
        ...statistics,
        async findLastGrantChange() {
          if (isDown) throw new Unavailable('storage', { cause: new Error('locked') })
          return statistics.findLastGrantChange()
        },
      },
    })
    const granted = 'alibi_grant_changes_total{by="operator",reason="granted",active="true"}'
    expect(await samples()).toMatchObject({ alibi_database_up: 0, [granted]: 0 })
    isDown = false
    await samples()
    await premiumGrants.add({ id: 'one', email: 'a@example.com' as Email }, ORIGIN)
    expect(await samples()).toMatchObject({ alibi_database_up: 1, [granted]: 1 })
  })

  test('a fault is no outage: the reading fails with it', async () => {
    const { read } = await openMetrics({
      async readDatabaseStatistics() {
        throw new Error('a bug')
      },
    })
    await expect(read()).rejects.toThrow('a bug')
    await expect(read()).rejects.toThrow('a bug')
  })

  test('readings at the same time look once', async () => {
    const ports = fakePorts()
    let looks = 0
    const { read } = await openMetrics({
      async readDatabaseStatistics() {
        looks++
        return readDatabaseStatistics(ports)
      },
    })
    const texts = await Promise.all(Array.from({ length: 50 }, read))
    expect(looks).toBe(1)
    expect(new Set(texts).size).toBe(1)
    await read()
    expect(looks).toBe(2)
  })

  test('the process says what every process says', async () => {
    const { ports, samples } = await openMetrics()
    const told = await samples()
    ports.clock.advance(HOUR_MS)
    // Prometheus takes a start time that changes for a restart.
    const start = 'process_start_time_seconds'
    expect((await samples())[start]).toBe(told[start]!)
    expect(told['process_resident_memory_bytes']).toBeWithin(10_000_000, 8_000_000_000)
    expect(told['process_start_time_seconds']).toBeLessThan(NOON.getTime() / 1000)
    if (process.platform === 'linux') {
      expect(told['process_open_fds']).toBeWithin(3, told['process_max_fds']!)
    } else {
      process.stdout.write('not tested here: open files, which only Linux tells\n')
    }
  })
})

describe('replicas', () => {
  const replica: Replica = { id: 'one', version: '1.2.3', startedAt: NOON }

  test('a service that has the database to itself leads, and is the only one', async () => {
    const { samples } = await openMetrics()
    expect(await samples()).toMatchObject({ alibi_leader: 1, alibi_replicas: 1 })
  })

  test('those that serve are counted, and one of them says that it leads', async () => {
    const { samples } = await openMetrics({
      leadership: { isLeading: () => false },
      replicas: { findLive: async () => [replica, replica] },
    })
    expect(await samples()).toMatchObject({ alibi_leader: 0, alibi_replicas: 2 })
  })

  test('while the database does not answer, nobody knows how many there are', async () => {
    const { samples } = await openMetrics({
      replicas: {
        async findLive() {
          throw new Unavailable('storage', { cause: new Error('refused') })
        },
      },
    })
    expect(await samples()).not.toHaveProperty('alibi_replicas')
  })
})

describe('backups', () => {
  const backup = { name: 'alibi.db', at: NOON, bytes: 4096 }
  const found = (findNewest: Backups['findNewest']): Backups => ({ findNewest })
  const timestamp = 'alibi_backup_last_success_timestamp_seconds'

  test.each<[string, Backups | null, object]>([
    ['the newest tells its age', found(async () => backup), { [timestamp]: NOON.getTime() / 1000 }],
    ['none yet is very old', found(async () => null), { [timestamp]: 0 }],
  ])('%s', async (_, backups, expected) => {
    const { samples } = await openMetrics({ backups })
    expect(await samples()).toMatchObject(expected)
  })

  test.each<[string, Backups | null]>([
    ['that nobody asked for', null],
    ['in a folder that cannot be read', found(() => Promise.reject(new Error('EACCES')))],
  ])('%s are not spoken of', async (_, backups) => {
    const { samples } = await openMetrics({ backups })
    expect(Object.keys(await samples()).filter((name) => name.startsWith('alibi_backup'))).toEqual(
      [],
    )
  })
})

test('every metric has a help that is a sentence, and a type', async () => {
  const { metrics } = readExposition(await (await openMetrics()).read())
  expect(metrics.size).toBeGreaterThan(25)
  for (const [name, { type, help }] of metrics) {
    expect({ name, help }).toEqual({ name, help: expect.stringMatching(/^[A-Z][^\n]*\.$/) })
    expect({ name, counts: name.endsWith('_total') }).toEqual({ name, counts: type === 'counter' })
  }
})

describe('the audit', () => {
  const LAST = 'alibi_audit_last_run_timestamp_seconds'
  const FOUND = 'alibi_audit_discrepancies{kind="entry_missing"}'

  test('tells what it has found until another process has made a later one', async () => {
    const { ports, record, samples } = await openMetrics()
    expect(await samples()).not.toHaveProperty([LAST])

    const none = Object.fromEntries(DISCREPANCY_KINDS.map((kind) => [kind, 0]))
    const counts = { ...none, entry_missing: 3 } as Record<DiscrepancyKind, number>
    await ports.sweeps.recordRun('audit', NOON)
    record({ kind: 'audit_ended', startedAt: NOON, counts })
    const told = await samples()
    expect([told[LAST], told[FOUND]]).toEqual([NOON.getTime() / 1000, 3])
    expect(told['alibi_audit_discrepancies{kind="access_differs"}']).toBe(0)

    await ports.sweeps.recordRun('audit', new Date(NOON.getTime() + HOUR_MS))
    const later = await samples()
    expect(later[LAST]).toBe((NOON.getTime() + HOUR_MS) / 1000)
    expect(later).not.toHaveProperty([FOUND])
  })
})
