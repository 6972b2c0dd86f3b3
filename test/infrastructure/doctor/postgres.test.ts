import { describe, expect, onTestFinished, test } from 'bun:test'
import { Client } from 'pg'
import { checkPostgres } from '../../../application/doctor/postgres/check-postgres.ts'
import { hashOf } from '../../../infrastructure/database/migration-history.ts'
import { type PostgresQuestion, probePostgres } from '../../../infrastructure/doctor/postgres.ts'
import { systemClock } from '../../../infrastructure/system-clock.ts'
import { until } from '../../support/executable/until.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { query } from '../../support/postgres/query.ts'

const NONE = { givenUp: [], oldestMessageMs: null, purchasesInReview: 0 }
const replica = (id: string) => ({ id, version: '1.2.0', startedAt: new Date(0) })
const REPLICAS = { live: [replica('one'), replica('other')], isLed: true }
const INIT = { name: '0001_init', sql: 'the tables' }
const SCHEMA = `
  CREATE TABLE schema_migrations (name text PRIMARY KEY, sha256 text, applied_at timestamptz);
  INSERT INTO schema_migrations VALUES ('0001_init', '${hashOf(INIT)}', now());
  CREATE TABLE purchases (id integer);
`

const clientOf = (connectionString: string) =>
  new Client({ connectionString, application_name: 'alibi' })

function questionOf(url: string, own: Partial<PostgresQuestion> = {}): PostgresQuestion {
  return {
    place: 'postgres://alibi@127.0.0.1/alibi',
    isRemote: false,
    verifiesCertificate: false,
    poolMax: 10,
    timeoutMs: PATIENCE_MS,
    open: () => clientOf(url),
    migrations: [INIT],
    tables: ['schema_migrations', 'purchases'],
    readReplicas: async () => REPLICAS,
    readWork: async () => NONE,
    clock: systemClock(),
    monotonicMs: () => performance.now(),
    ...own,
  }
}

async function contentOf(url: string, own: Partial<PostgresQuestion> = {}) {
  const { trouble, server } = await probePostgres(questionOf(url, own))
  expect(trouble).toBeNull()
  return server!.content!
}

async function troubles(url: string, own: Partial<PostgresQuestion> = {}) {
  const findings = checkPostgres(await probePostgres(questionOf(url, own)))
  // The server of the tests need not survive a crash.
  return findings.filter(
    ({ name, level }) => name !== 'durability' && (level === 'warning' || level === 'failed'),
  )
}

if (hasPostgres()) {
  describe('a PostgreSQL that is probed', () => {
    test('by a role that owns no more than its schema is well, and nothing stays behind', async () => {
      const { url, name } = await freshDatabase({ owned: 'schema' })
      await query(url, SCHEMA)
      expect(await troubles(url)).toEqual([])
      const content = await contentOf(url)
      expect(content).toMatchObject({
        encoding: 'UTF8',
        schema: { state: 'current', version: '0001_init' },
        rights: { role: 'alibi', schema: 'public', lacking: [] },
        connections: { replicas: 2, hasPooler: false },
        durability: { fsync: false, fullPageWrites: false, standbys: [] },
        archive: { isOn: false, lastMs: null },
        work: NONE,
      })
      expect(content.bytes).toBeGreaterThan(1_000_000)
      const left = `SELECT pid FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`
      await until('the connection is gone', async () => (await query(url, left)).length === 0)
    })

    test('that is empty, or has the tables of something else, is told apart', async () => {
      const { url } = await freshDatabase()
      expect(await contentOf(url)).toMatchObject({ schema: { state: 'empty' }, work: null })
      await query(url, 'CREATE TABLE others (id integer)')
      expect(await contentOf(url)).toMatchObject({ schema: { state: 'empty' } })
      await query(url, 'CREATE TABLE purchases (id integer)')
      expect(await contentOf(url)).toMatchObject({ schema: { state: 'foreign' } })
    })

    test('with a clock that goes wrong here is compared with the clock there', async () => {
      const { url } = await freshDatabase()
      const right = systemClock()
      const wrong = { now: () => new Date(right.now().getTime() + 7_000) }
      const facts = await probePostgres(questionOf(url, { clock: wrong }))
      const finding = checkPostgres(facts).find(({ name }) => name === 'database clock')
      expect(finding).toMatchObject({ level: 'warning', text: "7 s behind this machine's" })
    })

    test('says what a role without rights lacks, and reads nothing that it may not', async () => {
      const { url, superuserUrl } = await freshDatabase()
      await query(superuserUrl, `REVOKE CREATE ON SCHEMA public FROM PUBLIC; ${SCHEMA}`)
      await query(superuserUrl, 'ALTER SCHEMA public OWNER TO postgres')
      expect(await contentOf(url)).toMatchObject({
        schema: null,
        rights: {
          mayCreate: false,
          lacking: [
            { table: 'purchases', rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] },
            { table: 'schema_migrations', rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] },
          ],
          foreignTables: ['purchases', 'schema_migrations'],
        },
        work: null,
      })
      await query(superuserUrl, 'GRANT SELECT ON schema_migrations TO alibi')
      expect((await troubles(url)).map(({ name, level }) => [name, level])).toEqual([
        ['rights', 'failed'],
        ['rights', 'warning'],
      ])
    })

    test('by a role without a schema says so', async () => {
      const { url, superuserUrl } = await freshDatabase()
      await query(superuserUrl, 'DROP SCHEMA public')
      expect(await contentOf(url)).toMatchObject({ rights: { schema: null, mayCreate: false } })
      expect((await troubles(url)).filter(({ level }) => level === 'failed')).toMatchObject([
        { name: 'rights', text: 'alibi has no schema to put tables into' },
      ])
    })

    test('by a superuser warns of it', async () => {
      const { url, superuserUrl } = await freshDatabase()
      await query(url, SCHEMA)
      expect(await troubles(superuserUrl)).toMatchObject([{ name: 'rights', level: 'warning' }])
    })

    test('that lets the role only read fails', async () => {
      const { url, name, superuserUrl } = await freshDatabase()
      await query(url, SCHEMA)
      await query(superuserUrl, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
      expect(await troubles(url)).toMatchObject([
        { name: 'database', level: 'failed', text: expect.stringContaining('only read') },
      ])
    })

    test('with a limit of its own for the database counts that', async () => {
      const { url, name, superuserUrl } = await freshDatabase()
      await query(url, SCHEMA)
      await query(superuserUrl, `ALTER DATABASE ${name} CONNECTION LIMIT 19`)
      const other = clientOf(superuserUrl)
      await other.connect()
      const { connections } = await contentOf(url)
      expect(connections.limits).toContainEqual({
        setting: 'the limit of the database',
        connections: 19,
        othersOpen: 1,
      })
      expect(await troubles(url)).toMatchObject([{ name: 'connections', level: 'warning' }])
      await other.end()
    })

    test.each<[string, Partial<URL>, string]>([
      ['a wrong password', { password: 'wrong' }, 'login_refused'],
      ['no such database', { pathname: '/nowhere' }, 'no_database'],
      ['nobody at the port', { port: '1' }, 'unreachable'],
      ['a name that nobody has', { hostname: 'db.invalid' }, 'unknown_name'],
    ])('with %s says what kind of trouble it is', async (_, wrong, kind) => {
      const url = Object.assign(new URL((await freshDatabase()).url), wrong)
      expect(await probePostgres(questionOf(url.href))).toMatchObject({
        trouble: { kind },
        server: null,
      })
    })

    test('that is too old is asked nothing more', async () => {
      const { url } = await freshDatabase()
      const facts = await probePostgres(questionOf(url, { open: () => oldServer(url) }))
      expect(facts).toMatchObject({ trouble: null, server: { version: '14.12', content: null } })
      expect(checkPostgres(facts)[0]).toMatchObject({ name: 'database', level: 'failed' })
    })
  })

  test('a PostgreSQL that does not answer is given up after the time that it has', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    onTestFinished(() => silent.stop(true))
    const url = `postgres://alibi@127.0.0.1:${silent.port}/alibi`
    const facts = await probePostgres(questionOf(url, { timeoutMs: 50 }))
    expect(facts).toMatchObject({ trouble: { kind: 'too_late' }, server: null })
  })
}

/** A server whose own number is that of an older release. */
function oldServer(url: string) {
  const client = clientOf(url)
  const asked = client.query.bind(client)
  const old = { version: '14.12', versionNumber: 140_012, backendId: 1 }
  const answer = async (text: string, values: unknown[]) =>
    text.includes('server_version_num') ? { rows: [old] } : asked(text, values)
  return Object.assign(client, { query: answer })
}
