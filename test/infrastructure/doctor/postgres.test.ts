import { describe, expect, onTestFinished, test } from 'bun:test'
import { draftMessage } from '../../../domain/outbox.ts'
import { parsePostgresUrl } from '../../../infrastructure/config/postgres-url.ts'
import { checkPostgres, TABLES } from '../../../infrastructure/doctor/postgres.ts'
import { postgresStore } from '../../../infrastructure/postgres/store.ts'
import { SYSTEM_TIMERS, systemClock } from '../../../infrastructure/system-clock.ts'
import { until } from '../../support/executable/until.ts'
import { ORIGIN } from '../../support/fakes.ts'
import { linesOf } from '../../support/findings.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { ownCluster } from '../../support/postgres/own-cluster.ts'
import { hasPgBouncer, pgBouncer } from '../../support/postgres/pgbouncer.ts'
import { query } from '../../support/postgres/query.ts'
import { postgresServer } from '../../support/postgres/shared-server.ts'
import { paidPurchase } from '../../support/stores/contract-purchases.ts'
import { MIGRATED, openTestDatabase, testBudget } from '../../support/stores/postgres-store.ts'

const systemsOwn = { ...SYSTEM_TIMERS, clock: systemClock() }

type Own = Partial<typeof systemsOwn> & { timeoutMs?: number }

async function found(
  url: string,
  { timeoutMs = PATIENCE_MS, ...own }: Own = {},
): Promise<string[]> {
  const parsed = parsePostgresUrl(url)
  if (parsed?.kind !== 'postgres') throw new Error('no URL of a PostgreSQL')
  const config = { ...parsed, poolMax: 2, timeoutMs }
  return linesOf(await checkPostgres(config, { ...systemsOwn, ...own }))
}

/** Without what is well or not known, without the fsync that the server of the tests does not have, and in any time. */
async function troubles(url: string, own: Own = {}): Promise<string[]> {
  return (await found(url, own)).filter(
    (line) => !/^(?:ok|skipped) /.test(line) && !/fsync|far away/.test(line),
  )
}

const replica = (version: string) =>
  `INSERT INTO replicas (id, version, started_at, seen_at)
   VALUES (gen_random_uuid(), '${version}', now(), clock_timestamp())`

if (hasPostgres()) {
  describe('a PostgreSQL', () => {
    test('of the service is well to a role that owns no more than its schema', async () => {
      const { url, name } = await freshDatabase({ template: MIGRATED })
      expect(await found(url)).toEqual([
        expect.stringMatching(
          /^ok database: .+, PostgreSQL 1\d.+ MB, schema \d{4}_\w+, [\d.]+ ms away$/,
        ),
        'ok database clock: right, as this machine tells the time',
        'skipped replicas: none serves on the database',
        expect.stringMatching(/^failed durability: fsync is off/),
        expect.stringMatching(/^skipped replication: no standby/),
        expect.stringMatching(/^skipped backups: they are yours to make/),
        'ok purchases: none waits for you',
        'ok outbox: nothing is stuck',
      ])
      const left = `SELECT pid FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`
      await until('the connections are gone', async () => (await query(url, left)).length === 0)
      const tables = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`
      const names = (await query(url, tables)).map(({ relname }) => relname)
      expect(names.toSorted()).toEqual([...TABLES].toSorted())
    })

    test('that lacks a migration is a warning, and one of a newer executable a failure', async () => {
      const { url } = await freshDatabase()
      expect(await found(url)).toEqual([
        'warning database: the database at DATABASE_URL lacks the migration 0001_init: start the service, or run "alibi migrate"',
      ])
      const migrated = await freshDatabase({ template: MIGRATED })
      await query(
        migrated.superuserUrl,
        "INSERT INTO schema_migrations VALUES ('9999_future', 'x', now())",
      )
      expect(await found(migrated.url)).toEqual([
        expect.stringMatching(/^failed database: .+ newer than this executable.+9999_future/),
      ])
    })

    test.each<[string, Partial<URL>, RegExp]>([
      ['a wrong password', { password: 'wrong' }, /password/],
      ['no such database', { pathname: '/nowhere' }, /does not exist/],
      ['nobody at the port', { port: '1' }, /ECONNREFUSED/],
      ['a name that nobody has', { hostname: 'db.invalid' }, /ENOTFOUND|EAI_AGAIN/],
      ['TLS that it does not have', { search: '?sslmode=require' }, /does not support SSL/],
    ])('with %s fails, and shows no password', async (_, wrong, reason) => {
      const url = Object.assign(new URL((await freshDatabase()).url), wrong)
      const [line = '', ...others] = await found(url.href)
      expect(line).toStartWith('failed database: DATABASE_URL: the database ')
      expect(line).toMatch(reason)
      expect(line).not.toContain(decodeURIComponent(url.password))
      expect(others).toEqual([])
    })

    test('whose clock differs from that of this machine is told by how much', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      const ahead = (milliseconds: number) => ({
        clock: { now: () => new Date(Date.now() + milliseconds) },
      })
      expect(await troubles(url, ahead(7_000))).toEqual([
        "warning database clock: 7 s behind this machine's",
      ])
      expect(await troubles(url, ahead(-90_000))).toEqual([
        "failed database clock: 90 s ahead of this machine's",
      ])
    })

    test('says which tables the role cannot use, and warns of a superuser', async () => {
      const { url, superuserUrl } = await freshDatabase({ template: MIGRATED })
      expect(await troubles(superuserUrl)).toEqual([
        expect.stringMatching(/^warning rights: .+ is a superuser/),
      ])
      await query(superuserUrl, 'ALTER TABLE outbox OWNER TO postgres')
      await query(superuserUrl, 'GRANT SELECT ON outbox TO alibi')
      expect(await troubles(url)).toEqual(['failed rights: alibi may not read and write outbox'])
    })

    test('says how many serve, of which versions, and whether one of them leads', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      await query(url, `${replica('1.2.0')}; ${replica('1.2.0')}`)
      const replicas = async () => (await found(url)).filter((line) => line.includes('replicas:'))
      const idle = expect.stringMatching(/^warning replicas: none works in the background/)
      expect(await replicas()).toEqual([
        'ok replicas: 2 serve on the database, version 1.2.0',
        idle,
      ])
      await query(url, replica('1.3.0'))
      expect(await replicas()).toEqual([
        'warning replicas: 3 serve on the database, of different versions: 1.2.0 (2), 1.3.0 (1)',
        idle,
      ])
    })

    test('tells what waits for the operator, by its own clock', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      const store = postgresStore(openTestDatabase(url), { budget: testBudget() })
      const [paid, strange] = [paidPurchase('paid'), paidPurchase('strange')]
      const now = systemClock().now()
      await store.purchases.update(paid.email, ORIGIN, () => ({
        purchase: paid,
        messages: [draftMessage('payment_confirmed', paid, now)],
      }))
      await store.purchases.update(strange.email, ORIGIN, () => ({ purchase: strange }))
      await query(url, "UPDATE outbox SET created_at = clock_timestamp() - interval '3 hours'")
      await query(
        url,
        `UPDATE purchases SET state = 'review', review_reason = 'amount', amount_received = 1,
         paid_at = NULL, amount_paid = NULL, is_duplicate = NULL WHERE id = '${strange.id}'`,
      )
      const inReview = 'warning purchases: 1 waits for you: money came that was not asked for'
      expect(await troubles(url)).toEqual([
        inReview,
        'warning outbox: a mail or a refund has been waiting for 3 hours',
      ])
      await query(url, "UPDATE outbox SET state = 'given_up', due_at = NULL, ended_at = now()")
      expect(await troubles(url)).toEqual([
        inReview,
        `warning outbox: mails or refunds were given up, of the purchases ${paid.id}`,
      ])
    })

    test('that does not answer is given up after the time that it has', async () => {
      const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
      onTestFinished(() => silent.stop(true))
      const url = `postgres://alibi@127.0.0.1:${silent.port}/alibi`
      expect(await found(url, { timeoutMs: 50 })).toEqual([
        expect.stringMatching(/^failed database: .+no answer within 50 ms/),
      ])
    })

    test('that is far away is a warning', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      let nowMs = 0
      expect(await found(url, { monotonicMs: () => (nowMs += 20) })).toContainEqual(
        expect.stringMatching(/^warning database: .+ is far away: a round trip takes \d+ ms/),
      )
    })

    test('elsewhere warns of a certificate that nobody checks', async () => {
      const { url } = await freshDatabase({ template: MIGRATED })
      // An address of this machine that does not look like one.
      const elsewhere = `${url.replace('127.0.0.1', '0.0.0.0')}?sslmode=prefer`
      expect(await troubles(elsewhere)).toEqual([
        expect.stringMatching(/^warning tls: sslmode is prefer/),
      ])
    })

    if (hasPgBouncer()) {
      test('is seen through a pooler', async () => {
        const { name } = await freshDatabase({ template: MIGRATED })
        const pooler = await pgBouncer({ to: await postgresServer() })
        expect(await troubles(pooler.url(name))).toEqual([])
      })
    }
  })

  // A server of its own takes a second or two to make.
  test('a standby fails, one that no commit waits for is a warning, one that all wait for in vain fails', async () => {
    const migrated = await ownCluster({ fsync: true })
    await MIGRATED.prepare(migrated.url)
    const of = async (url: string) =>
      (await found(url)).filter((line) => / (?:durability|replication):/.test(line))
    expect(await of(migrated.url)).toEqual([expect.stringMatching(/^skipped replication:/)])

    const standby = await migrated.makeStandby()
    const following = async () =>
      (await query(migrated.superuserUrl, 'SELECT FROM pg_stat_replication')).length
    await until('it follows', async () => (await following()) > 0)
    expect(await of(migrated.url)).toEqual([
      expect.stringMatching(/^warning replication: 1 standby, and commits wait for none/),
    ])
    expect(await found(standby.url)).toContainEqual(
      expect.stringMatching(/^failed database: .+ is a standby/),
    )

    await query(migrated.superuserUrl, "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'")
    await query(migrated.superuserUrl, 'SELECT pg_reload_conf()')
    const waiting = 'ok replication: 1 standby, and commits wait for a synchronous one'
    await until('commits wait for it', async () => (await of(migrated.url)).includes(waiting))
    await query(migrated.superuserUrl, 'ALTER ROLE alibi SET synchronous_commit = off')
    expect(await of(migrated.url)).toEqual([
      expect.stringMatching(/^failed durability: synchronous_commit is off/),
      expect.stringMatching(/^warning replication: .+\(synchronous_commit is off\)/),
    ])
    await query(migrated.superuserUrl, 'ALTER ROLE alibi RESET synchronous_commit')
    await standby.stop()
    await until('it is gone', async () => (await following()) === 0)
    expect(await of(migrated.url)).toEqual([
      expect.stringMatching(/^failed replication: every commit waits .+ none is connected/),
    ])
  })
}
