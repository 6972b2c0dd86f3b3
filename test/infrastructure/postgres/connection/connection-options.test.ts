import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PostgresConfig } from '../../../../infrastructure/config/database-settings.ts'
import { codeOf } from '../../../../infrastructure/files/node-errors.ts'
import { postgresConnectionOptions } from '../../../../infrastructure/postgres/connection/connection-options.ts'
import { production } from '../../../support/config-loading.ts'
import { hasPostgres } from '../../../support/postgres/binaries.ts'
import { openDatabase } from '../../../support/postgres/open-database.ts'
import { type OwnCluster, openOwnCluster } from '../../../support/postgres/own-cluster.ts'
import { dataOf } from '../../../support/postgres/postmaster.ts'
import { query } from '../../../support/postgres/query.ts'
import type { Server } from '../../../support/postgres/server.ts'
import { postgresServer } from '../../../support/postgres/shared-server.ts'

/** Which one depends on whether the server sends the certificate of its authority as well. */
const UNTRUSTED = ['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']

const SESSION = `SELECT ssl AS "isEncrypted", current_database() AS database,
  current_setting('application_name') AS application
  FROM pg_stat_ssl WHERE pid = pg_backend_pid()`

/** What `sslmode` and the like come to: how the session is, or why there is none. */
async function connected(url: string): Promise<unknown> {
  try {
    const [session] = await openDatabase(url).query<{ isEncrypted: boolean }>(SESSION)
    return session?.isEncrypted ? 'encrypted' : 'in the clear'
  } catch (unavailable) {
    const error = (unavailable as Error).cause as Error
    const reason = codeOf(error) ?? error.message
    return UNTRUSTED.includes(reason) ? 'untrusted' : reason
  }
}

/** The URL with another host, and other parts in place of its own. */
function urlOf(
  { port, rolePassword }: Server,
  { host = 'localhost', database = 'alibi', ...parameters }: Record<string, string> = {},
): string {
  const password = encodeURIComponent(rolePassword)
  return `postgres://alibi:${password}@${host}:${port}/${database}?${new URLSearchParams(parameters)}`
}

/** Who may connect how, by the lines of pg_hba.conf. */
async function admit({ folder, superuserUrl }: OwnCluster, lines: readonly string[]) {
  const superuser = 'host all postgres 127.0.0.1/32 scram-sha-256'
  writeFileSync(join(dataOf(folder), 'pg_hba.conf'), [superuser, ...lines, ''].join('\n'))
  await query(superuserUrl, 'SELECT pg_reload_conf()')
  const loaded = `SELECT count(*)::integer AS lines FROM pg_hba_file_rules`
  expect(await query(superuserUrl, loaded)).toEqual([{ lines: lines.length + 1 }])
}

const ANY_WAY = 'host all alibi all scram-sha-256'
const REFUSED = '28000'
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID'

if (hasPostgres()) {
  describe('a server with TLS', () => {
    let cluster: OwnCluster & AsyncDisposable
    beforeAll(async () => {
      cluster = await openOwnCluster({ fsync: false, tls: 'localhost' })
    })
    afterAll(() => cluster[Symbol.asyncDispose]())

    test('is spoken to as sslmode says, whatever it admits', async () => {
      const outcomes = async (lines: readonly string[]) => {
        await admit(cluster, lines)
        const modes = ['disable', 'prefer', 'require', 'verify-full']
        const all = modes.map(async (sslmode) => [
          sslmode,
          await connected(urlOf(cluster, { sslmode, sslrootcert: cluster.authorities!.right })),
        ])
        return Object.fromEntries(await Promise.all(all))
      }

      expect(await outcomes([ANY_WAY])).toEqual({
        disable: 'in the clear',
        prefer: 'encrypted',
        require: 'encrypted',
        'verify-full': 'encrypted',
      })
      expect(await outcomes(['hostssl all alibi all scram-sha-256'])).toEqual({
        disable: REFUSED,
        prefer: 'encrypted',
        require: 'encrypted',
        'verify-full': 'encrypted',
      })
      expect(await outcomes(['hostnossl all alibi all scram-sha-256'])).toEqual({
        disable: 'in the clear',
        prefer: REFUSED,
        require: REFUSED,
        'verify-full': REFUSED,
      })
    })

    test('has to prove as much as sslmode says', async () => {
      await admit(cluster, [ANY_WAY])
      const { right, wrong } = cluster.authorities!
      const outcome = (sslmode: string, sslrootcert = '', host = 'localhost') =>
        connected(urlOf(cluster, { host, sslmode, ...(sslrootcert && { sslrootcert }) }))

      expect(await outcome('require')).toBe('encrypted')
      expect(await outcome('require', wrong)).toBe('untrusted')
      expect(await outcome('require', right, '127.0.0.1')).toBe('encrypted')
      expect(await outcome('verify-ca')).toBe('untrusted')
      expect(await outcome('verify-ca', wrong)).toBe('untrusted')
      expect(await outcome('verify-ca', right, '127.0.0.1')).toBe('encrypted')
      expect(await outcome('verify-full')).toBe('untrusted')
      expect(await outcome('verify-full', 'system')).toBe('untrusted')
      expect(await outcome('verify-full', wrong)).toBe('untrusted')
      expect(await outcome('verify-full', right)).toBe('encrypted')
      expect(await outcome('verify-full', right, '127.0.0.1')).toBe(OTHER_NAME)
      expect(await outcome('prefer', wrong)).toBe('untrusted')
    })

    test('is shown a certificate where it asks for one', async () => {
      const { right } = cluster.authorities!
      await cluster.restart({ ssl_ca_file: right })
      await admit(cluster, ['hostssl all alibi all cert'])
      const sslcert = await makeClientCertificate(cluster, right)
      const parameters = { sslmode: 'verify-full', sslrootcert: right }

      expect(await connected(urlOf(cluster, parameters))).toBe(REFUSED)
      const shown = { ...parameters, sslcert, sslkey: `${sslcert}.key` }
      expect(await connected(urlOf(cluster, shown))).toBe('encrypted')
    })
  })

  test('a server without TLS is spoken to in the clear, unless TLS is asked for', async () => {
    const server = await postgresServer()
    const outcome = (sslmode: string) => connected(urlOf(server, { database: 'postgres', sslmode }))
    for (const mode of ['disable', 'prefer']) {
      expect(await outcome(mode)).toBe('in the clear')
    }
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      expect(await outcome(mode)).toBe('The server does not support SSL connections')
    }
  })

  test('a Unix socket has no TLS, whatever sslmode says', async () => {
    const server = await postgresServer()
    const parameters = { database: 'postgres', sslmode: 'verify-full' }
    const host = encodeURIComponent(server.folder)
    expect(await connected(urlOf(server, { ...parameters, host }))).toBe('in the clear')
  })

  test('a session starts with nothing that the URL does not say', async () => {
    const url = urlOf(await postgresServer(), { database: 'postgres' })
    const around = { PGOPTIONS: '-c work_mem=1MB', PGAPPNAME: 'other', PGPASSWORD: 'other' }
    const before = { ...process.env }
    Object.assign(process.env, around)
    onTestFinished(() => {
      for (const name of Object.keys(around)) delete process.env[name]
      Object.assign(process.env, before)
    })
    const { query: ask } = openDatabase(url)
    expect(await ask(SESSION)).toEqual([
      { isEncrypted: false, database: 'postgres', application: 'alibi' },
    ])
    expect(await ask('SHOW work_mem')).toEqual([{ work_mem: '4MB' }])

    expect(await connected(url.replace(/:[^:@]+@/, '@'))).toBe(
      'the server asks for a password, and DATABASE_URL has none',
    )
  })

  test('a wrong password is refused in words that do not have it', async () => {
    const { port } = await postgresServer()
    const url = `postgres://alibi:canary7f3a@localhost:${port}/postgres`
    const refused = openDatabase(url).query('SELECT')
    const error = await refused.catch((error: unknown) => error)
    expect(error).toMatchObject({ cause: { code: '28P01' } })
    expect(Bun.inspect(error)).not.toContain('canary7f3a')
  })
}

test('a file that cannot be read is a problem of the setting, without its path', () => {
  const url = 'postgres://u:p@h/d?sslmode=verify-full&sslrootcert=/canary7f3a/ca.pem'
  const { database } = production({ DATABASE_URL: url })
  expect(() => postgresConnectionOptions(database as PostgresConfig)).toThrow(
    'DATABASE_URL: the file that sslrootcert names cannot be read',
  )
})

/** Of the role `alibi`, beside its key, signed by the authority. */
async function makeClientCertificate({ folder }: OwnCluster, authority: string): Promise<string> {
  const path = join(folder, 'client.pem')
  const commands = [
    `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=alibi -keyout ${path}.key -out ${path}.request`,
    `openssl x509 -req -days 2 -in ${path}.request -out ${path} -CA ${authority} -CAkey ${authority}.key -CAcreateserial`,
  ]
  for (const command of commands) {
    const child = Bun.spawn(command.split(' '), { stdout: 'ignore', stderr: 'pipe' })
    const words = await child.stderr.text()
    if ((await child.exited) !== 0) throw new Error(`openssl failed:\n${words}`)
  }
  return path
}
