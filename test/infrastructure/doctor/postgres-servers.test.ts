import { expect, test } from 'bun:test'
import { checkPostgres } from '../../../application/doctor/postgres/check-postgres.ts'
import { probePostgres } from '../../../infrastructure/doctor/postgres.ts'
import { until } from '../../support/executable/until.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { doctorQuestion } from '../../support/postgres/doctor-question.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { ownCluster } from '../../support/postgres/own-cluster.ts'
import { hasPgBouncer, pgBouncer } from '../../support/postgres/pgbouncer.ts'
import { query } from '../../support/postgres/query.ts'
import { postgresServer } from '../../support/postgres/shared-server.ts'
import { MIGRATED } from '../../support/stores/postgres-store.ts'

// A server of its own takes a second or two to make.

/** What the doctor says of these subjects. */
async function findingsOn(url: string, ...names: readonly string[]) {
  const findings = checkPostgres(await probePostgres(doctorQuestion(url)))
  return findings.filter(({ name }) => names.includes(name))
}

if (hasPostgres()) {
  test('a standby is a failure, and one that is not synchronous a warning', async () => {
    const primary = await ownCluster({ fsync: true })
    expect(await findingsOn(primary.url, 'replication', 'durability')).toMatchObject([
      { name: 'durability', level: 'ok' },
      { name: 'replication', level: 'skipped' },
    ])

    const standby = await primary.makeStandby()
    const following = 'SELECT FROM pg_stat_replication'
    await until('it follows', async () => (await query(primary.superuserUrl, following)).length > 0)
    expect(await findingsOn(primary.url, 'replication')).toMatchObject([
      { level: 'warning', text: expect.stringContaining('commits wait for none') },
    ])
    expect(await findingsOn(standby.url, 'database')).toMatchObject([
      { level: 'failed', text: expect.stringContaining('is a standby') },
      { level: 'warning', text: expect.stringContaining('is empty') },
    ])
    expect(await findingsOn(standby.url, 'replication')).toEqual([])
  })

  test('a synchronous standby is well, and one that commits wait for in vain a failure', async () => {
    const primary = await ownCluster({ fsync: true })
    const standby = await primary.makeStandby({ synchronous: true })
    expect(await findingsOn(primary.url, 'replication')).toMatchObject([
      { level: 'ok', text: expect.stringContaining('only a role with pg_read_all_stats sees') },
    ])
    expect(await findingsOn(primary.superuserUrl, 'replication')).toMatchObject([
      { level: 'ok', text: expect.stringMatching(/the last one is \d+ kB behind$/) },
    ])

    await standby.stop()
    const following = 'SELECT FROM pg_stat_replication'
    await until(
      'it is gone',
      async () => (await query(primary.superuserUrl, following)).length === 0,
    )
    expect(await findingsOn(primary.url, 'replication')).toMatchObject([
      { level: 'failed', text: expect.stringContaining('none is connected') },
    ])
  })

  test('TLS is seen from this end of the connection, and a wrong authority is named', async () => {
    const { url, authorities } = await ownCluster({ tls: 'localhost', fsync: false })
    const named = (mode: string, authority: string) =>
      `${url.replace('127.0.0.1', 'localhost')}?sslmode=${mode}&sslrootcert=${encodeURIComponent(authority)}`
    expect(await findingsOn(named('verify-full', authorities!.right), 'tls')).toMatchObject([
      { level: 'ok', text: expect.stringMatching(/^TLSv1\.[23], with the certificate checked$/) },
    ])
    expect(await findingsOn(`${url}?sslmode=require`, 'tls')).toMatchObject([
      { level: 'ok', text: expect.stringMatching(/^TLSv1\.[23]$/) },
    ])
    expect(await findingsOn(`${url}?sslmode=disable`, 'tls')).toMatchObject([
      { level: 'ok', text: expect.stringContaining('none is needed') },
    ])
    const wrong = await probePostgres(doctorQuestion(named('verify-full', authorities!.wrong)))
    expect(wrong).toMatchObject({ trouble: { kind: 'certificate' } })
  })

  test('a server that has no TLS says so', async () => {
    const { url } = await freshDatabase()
    expect(await findingsOn(`${url}?sslmode=require`, 'database')).toMatchObject([
      { level: 'failed', text: expect.stringContaining('no TLS') },
    ])
  })

  if (hasPgBouncer()) {
    test('a pooler in between is noticed, and everything else is seen through it', async () => {
      const { name } = await freshDatabase({ template: MIGRATED })
      const pooler = await pgBouncer({ to: await postgresServer() })
      expect(
        await findingsOn(pooler.url(name), 'connections', 'rights', 'purchases'),
      ).toMatchObject([
        { name: 'rights', level: 'ok' },
        { name: 'connections', level: 'skipped', text: expect.stringContaining('pooler') },
        { name: 'purchases', level: 'ok' },
      ])
    })
  }
}
