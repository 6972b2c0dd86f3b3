import { expect, onTestFinished, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { openProduction, type Production } from '../../support/executable/production.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServer } from '../../support/postgres/shared-server.ts'
import { quietPort } from '../../support/quiet-port.ts'

const TIMEOUT_MS = 1000
/** Longer than the one that holds where none is set. */
const LONG_TIMEOUT_MS = 7000
const PASSWORD = 'a-password-that-nobody-may-read'

/** Starts it on the database, and expects that it ends with one line that does not show the password. */
async function refusedStart(production: Production, url: string, timeoutMs = TIMEOUT_MS) {
  const { exitCode, stdout, stderr } = await production.run(['serve'], {
    ...production.settings,
    PORT: '0',
    DATABASE_URL: url,
    DATABASE_TIMEOUT: `${timeoutMs / 1000}s`,
  })
  const output = stdout + stderr
  expect(output).not.toContain(PASSWORD)
  expect(output).not.toContain(encodeURIComponent(PASSWORD))
  expect(output.trim().split('\n').length).toBe(1)
  expect(output).toContain('DATABASE_URL')
  return { exitCode, output }
}

/** Listens until the test ends. */
async function listenFor(serve: (socket: Socket) => void): Promise<number> {
  const port = await quietPort()
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return port
}

const urlAt = (port: number) => `postgres://alibi:${PASSWORD}@127.0.0.1:${port}/alibi`

/** A message of the protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const AUTHENTICATED = message('R', Buffer.alloc(4))
const READY = message('Z', Buffer.from('I'))

/** What a statement that asks for one text is answered. */
function rowOf(name: string, text: string): Buffer {
  const [column, value] = [Buffer.from(`${name}\0`), Buffer.from(text)]
  // Of no table, a text, of any length.
  const type = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0])
  return Buffer.concat([
    message('T', Buffer.concat([Buffer.from([0, 1]), column, type])),
    message('D', Buffer.concat([Buffer.from([0, 1, 0, 0, 0, value.length]), value])),
    message('C', Buffer.from('SHOW\0')),
    READY,
  ])
}

const SSL_REQUEST_BYTES = 8

/** Speaks as much of the protocol as it takes to log in, and then to say which version it is, if it is any. */
function fakePostgres(version: { text: string; number: string } | null) {
  return (socket: Socket) => {
    let isLoggedIn = false
    socket.on('data', (data) => {
      if (data.length === SSL_REQUEST_BYTES) {
        socket.write('N')
      } else if (!isLoggedIn) {
        isLoggedIn = true
        socket.write(Buffer.concat([AUTHENTICATED, READY]))
      } else if (version && data.includes('server_version_num')) {
        socket.write(rowOf('server_version_num', version.number))
      } else if (version) {
        socket.write(rowOf('server_version', version.text))
      }
    })
  }
}

if (hasPostgres()) {
  test('a start on a PostgreSQL that cannot be used says so in one line, without the password', async () => {
    await using production = await openProduction()
    const { name, url } = await freshDatabase()
    const { port } = await postgresServer()
    const wrongPassword = new URL(url)
    wrongPassword.password = PASSWORD
    const wrongDatabase = new URL(url)
    wrongDatabase.pathname = `${name}_of_nobody`
    const shown = (at: number, database = 'alibi') =>
      `DATABASE_URL: the database postgres://alibi@127.0.0.1:${at}/${database} cannot be used`

    const nobody = await quietPort()
    const silent = await listenFor(() => {})
    const closing = await listenFor((socket) => socket.destroy())
    const cases: readonly (readonly [url: string, words: string])[] = [
      [urlAt(nobody), shown(nobody)],
      [urlAt(silent), shown(silent)],
      [urlAt(closing), shown(closing)],
      [wrongPassword.href, shown(port, name)],
      [wrongDatabase.href, shown(port, `${name}_of_nobody`)],
    ]
    for (const [given, words] of cases) {
      const { exitCode, output } = await refusedStart(production, given)
      expect(output).toContain(words)
      expect(exitCode).toBe(1)
    }
  })

  test('a start on a PostgreSQL that is too old says which it is', async () => {
    await using production = await openProduction()
    const old = await listenFor(fakePostgres({ text: '14.12', number: '140012' }))
    const { exitCode, output } = await refusedStart(production, urlAt(old))
    expect(output).toContain('is PostgreSQL 14.12: 15 or later is needed')
    expect(exitCode).toBe(1)
  })

  test('a start on a PostgreSQL that hangs in the middle ends after DATABASE_TIMEOUT', async () => {
    await using production = await openProduction()
    const hanging = await listenFor(fakePostgres(null))
    // Nothing but that ends it: the PostgreSQL hangs for ever.
    const startedAt = performance.now()
    const { exitCode } = await refusedStart(production, urlAt(hanging), LONG_TIMEOUT_MS)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(LONG_TIMEOUT_MS)
    expect(exitCode).toBe(1)
  })

  test('a start with a URL that is malformed says so, and ends with 78', async () => {
    await using production = await openProduction()
    const { exitCode } = await refusedStart(production, `postgres://alibi:${PASSWORD}@:port/alibi`)
    expect(exitCode).toBe(78)
  })
}
