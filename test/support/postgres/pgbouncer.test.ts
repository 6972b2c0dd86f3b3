import { expect, onTestFinished, test } from 'bun:test'
import { Client } from 'pg'
import { hasPostgres } from './binaries.ts'
import { freshDatabase } from './fresh-database.ts'
import { hasPgBouncer, pgBouncer } from './pgbouncer.ts'
import { query } from './query.ts'
import { postgresServer } from './shared-server.ts'

if (hasPostgres() && hasPgBouncer()) {
  async function connected(url: string): Promise<Client> {
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  test('PgBouncer lends a connection for a transaction, and asks for the password', async () => {
    const { name } = await freshDatabase()
    const bouncer = await pgBouncer({ to: await postgresServer(), poolSize: 1 })
    const [one, other] = [await connected(bouncer.url(name)), await connected(bouncer.url(name))]
    const backend = async (client: Client) =>
      (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
    expect(await backend(one)).toBe(await backend(other))

    const wrong = new URL(bouncer.url(name))
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '08P01' })
  })

  test('PgBouncer has a console', async () => {
    const { name } = await freshDatabase()
    const bouncer = await pgBouncer({ to: await postgresServer() })
    await query(bouncer.url(name), 'SELECT 1')
    const client = await connected(bouncer.consoleUrl)
    const { rows } = await client.query('SHOW SERVERS')
    expect(rows).toMatchObject([{ user: 'alibi', database: name }])
  })
}
