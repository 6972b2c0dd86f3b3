import { afterAll, onTestFinished } from 'bun:test'
import { Client, Pool } from 'pg'
import { query } from './query.ts'
import { ROLE, roleUrl, type Server, superuserUrl } from './server.ts'
import { postgresServer } from './shared-server.ts'

/** A database of one test. */
export type FreshDatabase = {
  readonly name: string
  /** For the role `alibi`, with its password. */
  readonly url: string
  readonly superuserUrl: string
}

/** A database that is prepared once in a run, and copied for each test in tens of milliseconds. */
export type DatabaseTemplate = {
  /** Differs from the names of other templates. */
  readonly name: string
  /** Fills it, as the role `alibi`, and closes its connections. */
  prepare(url: string): Promise<unknown>
}

export type FreshDatabaseOptions = {
  readonly template?: DatabaseTemplate
  /** What the role owns: the database and so all that is in it, or no more than the schema `public`. */
  readonly owned?: 'database' | 'schema'
  /** By which texts are sorted where a statement does not say it: bytes, or English as ICU sorts it. */
  readonly collation?: 'C' | 'en-US'
}

/** So often is looked whether all have left a database, before they are cut off. */
const LOOKS_MAX = 200
const LOOK_EVERY_MS = 10

/**
 * An empty database of one test: the one that asks for it, or the one that a `beforeEach` asks for. It goes away some
 * time after the test, so that what the test closes later at its end still finds it.
 */
export async function freshDatabase(options: FreshDatabaseOptions = {}): Promise<FreshDatabase> {
  const database = await openFreshDatabase(options)
  onTestFinished(() => {
    void dropOnceLeft(database)
  })
  return database
}

/** An empty database of all tests of the file or of the group that asks for it. */
export async function sharedFreshDatabase(
  options: FreshDatabaseOptions = {},
): Promise<FreshDatabase> {
  const database = await openFreshDatabase(options)
  afterAll(() => database[Symbol.asyncDispose]())
  return database
}

/** An empty database until it is disposed of, which ends the connections to it. */
export async function openFreshDatabase(
  options: FreshDatabaseOptions = {},
): Promise<FreshDatabase & AsyncDisposable> {
  const server = await postgresServer()
  const administrator = administratorOf(server)
  const name = `test_${Bun.randomUUIDv7().replaceAll('-', '')}`
  if (options.template) await makeTemplate(server, administrator, options.template)
  await createDatabase(server, administrator, { ...options, name, from: options.template?.name })
  return {
    name,
    url: roleUrl(server, name),
    superuserUrl: superuserUrl(server, name),
    async [Symbol.asyncDispose]() {
      await administrator.query(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** Bun ends what a test has opened in the order in which it was opened, and nobody has to wait for this. */
async function dropOnceLeft(database: FreshDatabase & AsyncDisposable): Promise<void> {
  const administrator = administratorOf(await postgresServer())
  const connected = 'SELECT FROM pg_stat_activity WHERE datname = $1'
  for (let look = 1; look <= LOOKS_MAX; look++) {
    if ((await administrator.query(connected, [database.name])).rowCount === 0) break
    await Bun.sleep(LOOK_EVERY_MS)
  }
  await database[Symbol.asyncDispose]()
}

let administrators: Pool | null = null

/** The connections with which this process makes and drops its databases. */
function administratorOf(server: Server): Pool {
  const connectionString = superuserUrl(server, 'postgres')
  administrators ??= new Pool({ connectionString, max: 2 }).on('error', () => {})
  return administrators
}

async function createDatabase(
  server: Server,
  administrator: Pool,
  {
    name,
    from = 'template0',
    owned = 'database',
    collation = 'C',
  }: Omit<FreshDatabaseOptions, 'template'> & { name: string; from?: string | undefined },
): Promise<void> {
  const owner = owned === 'database' ? ROLE : 'postgres'
  const locale = collation === 'C' ? '' : `LOCALE_PROVIDER icu ICU_LOCALE '${collation}'`
  await administrator.query(`CREATE DATABASE ${name} OWNER ${owner} TEMPLATE ${from} ${locale}`)
  if (owned === 'database') return

  await query(superuserUrl(server, name), `ALTER SCHEMA public OWNER TO ${ROLE}`)
}

const templates = new Map<string, Promise<void>>()

/** Makes the template, unless this or another process has made it. */
function makeTemplate(
  server: Server,
  administrator: Pool,
  template: DatabaseTemplate,
): Promise<void> {
  const known = templates.get(template.name)
  if (known) return known
  const made = makeTemplateOnce(server, administrator, template)
  templates.set(template.name, made)
  made.catch(() => templates.delete(template.name))
  return made
}

async function makeTemplateOnce(
  server: Server,
  administrator: Pool,
  { name, prepare }: DatabaseTemplate,
): Promise<void> {
  // One process prepares it, the others wait; when it dies in the middle, another one starts anew.
  const lock = new Client({ connectionString: superuserUrl(server, 'postgres') })
  await lock.connect()
  try {
    await lock.query('SELECT pg_advisory_lock(hashtext($1))', [name])
    const made = 'SELECT FROM pg_database WHERE datname = $1 AND datistemplate'
    if ((await lock.query(made, [name])).rowCount === 1) return

    await lock.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await createDatabase(server, administrator, { name })
    await prepare(roleUrl(server, name))
    await lock.query(`ALTER DATABASE ${name} WITH IS_TEMPLATE true`)
  } finally {
    await lock.end()
  }
}
