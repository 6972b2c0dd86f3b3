import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnvFile } from '../../infrastructure/config/env-file.ts'
import { openProduction, type Production } from '../support/executable/production.ts'
import { missingFor, proxiedClient } from '../support/executable/proxied-client.ts'
import { type ReverseProxy, startReverseProxy } from '../support/executable/reverse-proxies.ts'
import { until } from '../support/executable/until.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { type FreshDatabase, openFreshDatabase } from '../support/postgres/fresh-database.ts'
import { query } from '../support/postgres/query.ts'
import { quietPort } from '../support/quiet-port.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'

/*
 * Two processes of the executable on one PostgreSQL, with the settings file of operations/, behind real reverse proxies
 * that run the examples of operations/.
 */

const EXAMPLE = join(import.meta.dir, '../../operations/alibi-replica.env')
const AUTH_LIMIT = 3
const JSON_HEADER = ['content-type: application/json']

const isTested = hasPostgres()

describe.each(['caddy', 'nginx'] as const)('two machines behind %s', (name) => {
  const missing = missingFor(name)
  if (missing !== null) {
    process.stdout.write(`not tested here: two machines behind ${name}: no ${missing} runs here\n`)
    return
  }
  if (!isTested) return

  let database: FreshDatabase & AsyncDisposable
  let production: Production
  let ports: readonly [number, number]
  let replicas: [AlibiProcess, AlibiProcess]
  let proxy: ReverseProxy
  let ask: ReturnType<typeof proxiedClient>

  beforeAll(async () => {
    database = await openFreshDatabase()
    production = await openProduction()
    ports = [await quietPort(), await quietPort()]
    replicas = await Promise.all([start(ports[0]), start(ports[1])])
    proxy = await startReverseProxy(name, {
      folder: join(production.folder, name),
      backends: ports.map((port) => `127.0.0.1:${port}`),
    })
    ask = proxiedClient(proxy, production.folder)
  })
  afterAll(async () => {
    await proxy.stop()
    await production[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  function settingsOf(port: number): Record<string, string> {
    const { CREDENTIALS_DIRECTORY, ...example } = parseEnvFile(readFileSync(EXAMPLE, 'utf8'))
    return {
      ...production.settings,
      ...example,
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: '0',
      DATABASE_URL: database.url,
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_AUTH: `${AUTH_LIMIT}/15m`,
    }
  }

  const start = (port: number) => production.start({ env: settingsOf(port) })

  const askFor = (path: string, from?: string) =>
    ask(from === undefined ? { path } : { path, from })
  const post = (path: string, body: object, from?: string) =>
    ask({
      path,
      headers: JSON_HEADER,
      body: JSON.stringify(body),
      ...(from === undefined ? {} : { from }),
    })
  const answersOf = ({ output }: AlibiProcess) =>
    output().split('"event":"http.request"').length - 1

  test('both answer, and a client has one budget at both together', async () => {
    const asked = Array.from({ length: 8 }, () =>
      askFor('/auth/check?email=anna@example.com', '127.0.0.2'),
    )
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBe(AUTH_LIMIT)
    expect(statuses.filter((status) => status === 429).length).toBe(8 - AUTH_LIMIT)
    await until('both have answered', async () => {
      await askFor('/languages', '127.0.0.3')
      return replicas.every((replica) => answersOf(replica) > 0)
    })
  })

  test('what one of them has mailed, any of them takes', async () => {
    const email = `${name}@example.com`
    expect((await post('/auth/verify-email', { email }, '127.0.0.4')).status).toBe(200)
    const code = await production.mailbox.latestCode(email)
    expect((await post('/auth/confirm-email', { email, code }, '127.0.0.4')).status).toBe(200)
    expect((await post('/auth/confirm-email', { email, code }, '127.0.0.4')).status).toBe(401)
  })

  test('the doctor finds both', async () => {
    const { stdout } = await production.run(['doctor', '--json'], settingsOf(ports[0]))
    const { checks } = JSON.parse(stdout) as {
      checks: { name: string; level: string; text: string }[]
    }
    const about = (name: string) => checks.find((check) => check.name === name)
    expect(about('database')).toMatchObject({ level: 'ok' })
    expect(about('rights')).toBeUndefined()
    expect(about('replicas')).toMatchObject({
      level: 'ok',
      text: expect.stringMatching(/^2 serve on the database/),
    })
  })

  test('one that is killed costs no GET, and none of its visitors more than a moment', async () => {
    await replicas[0].stop('SIGKILL')
    for (let asked = 0; asked < 10; asked++) expect((await askFor('/ready')).status).toBe(200)
    const email = `after-${name}@example.com`
    await until('a POST is answered again', async () => {
      return (await post('/auth/verify-email', { email }, '127.0.0.5')).status === 200
    })
    replicas[0] = await start(ports[0])
    const before = answersOf(replicas[0])
    await until('the one that is back gets visitors', async () => {
      await askFor('/languages', '127.0.0.6')
      return answersOf(replicas[0]) > before
    })
  })

  test('while the database is away, what needs none is served, the rest is 503, and it comes back', async () => {
    const server = new URL(database.superuserUrl)
    server.pathname = '/postgres'
    const shut = `ALTER DATABASE ${database.name} ALLOW_CONNECTIONS false`
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`
    await query(server.href, shut)
    await query(server.href, cut)
    await until('nobody is ready', async () => (await askFor('/ready')).status === 503)
    expect((await askFor('/health')).status).toBe(200)
    const check = await askFor('/auth/check?email=anna@example.com', '127.0.0.7')
    expect(check).toMatchObject({ status: 503, text: '{"error":"Temporarily unavailable"}' })
    expect(check.head).toMatch(/^retry-after: \d+\r?$/im)

    await query(server.href, `ALTER DATABASE ${database.name} ALLOW_CONNECTIONS true`)
    // Each time another client, who has its own budget.
    let clients = 0
    await until('it is back', async () => {
      const from = `127.0.1.${++clients}`
      return (await askFor('/auth/check?email=anna@example.com', from)).status === 200
    })
  })
})
