import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { buyer, openProduction } from '../support/executable/production.ts'
import { client } from '../support/http/client.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'

const CREATE = 'POST /v1/checkout/sessions'

/** What a load balancer learns from /ready. */
async function readiness({ url }: AlibiProcess): Promise<number | 'refused'> {
  try {
    return (await fetch(`${url}/ready`)).status
  } catch {
    return 'refused'
  }
}

/** Resolves with what /ready says as soon as that is something else than that it is ready. */
async function unreadiness(alibi: AlibiProcess): Promise<number | 'refused'> {
  for (;;) {
    const seen = await readiness(alibi)
    if (seen !== 200) return seen
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s the answers under way arrive whole, nobody new is let in, and the exit code is 0',
  async (signal) => {
    await using production = await openProduction()
    const { double, mailbox } = production
    const alibi = await production.start()
    const { http, email, prove } = buyer(alibi, production, 'patient@example.com')
    await prove()
    const atStripe = double.hold(CREATE)
    const atResend = mailbox.hold()
    const checkout = http.post('/checkout', { email })
    const mail = client(alibi.url).post('/auth/verify-email', { email: 'other@example.com' })
    await Promise.all([production.asked(CREATE), atResend.arrived])
    expect(await readiness(alibi)).toBe(200)

    const stopped = alibi.stop(signal)
    expect([503, 'refused']).toContain(await unreadiness(alibi))
    expect(alibi.output()).not.toContain('"event":"service.stopped"')

    atStripe()
    atResend.release()
    expect(await checkout).toMatchObject({
      status: 200,
      body: { success: true, sessionId: expect.stringMatching(/^cs_test_/) },
    })
    expect(await mail).toMatchObject({ status: 200, body: { success: true } })
    expect(await stopped).toBe(0)
    expect(alibi.output()).toContain('"event":"service.stopped"')
    expect(await readiness(alibi)).toBe('refused')
  },
)

test('what was answered while stopping is on disk, in one whole file', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  const { http, email, prove } = buyer(alibi, production, 'patient@example.com')
  await prove()
  const release = production.double.hold(CREATE)
  const checkout = http.post('/checkout', { email })
  await production.asked(CREATE)
  const stopped = alibi.stop()
  await unreadiness(alibi)
  release()
  const { sessionId } = (await checkout).body
  await stopped

  expect(readdirSync(production.state)).toEqual(['alibi.db'])
  const database = new Database(production.databasePath, { readonly: true })
  expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  const sessions = database.query('SELECT session_id FROM purchases').values()
  database.close()
  expect(sessions).toEqual([[String(sessionId)]])
})

test('with nothing under way it stops at once, idle connections or not', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  expect((await client(alibi.url).get('/health')).status).toBe(200)
  expect(await alibi.stop()).toBe(0)
})

test('a client that never finishes its request holds up nobody, and is told so', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  const { hostname, port } = new URL(alibi.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const heard = Array.fromAsync(socket, String)
  const head = 'POST /auth/verify-email HTTP/1.1\r\nHost: x\r\nContent-Type: application/json'
  socket.write(`${head}\r\nContent-Length: 50\r\n\r\n{"em`)
  // Answered after what was sent before it has been taken in.
  expect((await client(alibi.url).get('/health')).status).toBe(200)

  expect(await alibi.stop()).toBe(0)
  expect((await heard).join('')).toContain('503 Service Unavailable')
})

test('a client that never finishes the head of its request does not hold it up, however long it sends more of it', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  const { hostname, port } = new URL(alibi.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {}).resume()
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
  // It never idles, so that nothing but the end of the service ends it.
  const dripping = setInterval(() => socket.write('X: x\r\n'), 1000)
  expect((await client(alibi.url).get('/health')).status).toBe(200)

  expect(await alibi.stop()).toBe(0)
  await closed
  clearInterval(dripping)
})

test('it goes on serving when nobody reads its log any more, and stops with 0', async () => {
  await using production = await openProduction()
  const { executable, folder, settings } = production
  const child = Bun.spawn([executable, 'serve'], {
    cwd: folder,
    env: { ...settings, PORT: '0', LOG_FORMAT: 'json' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const log = child.stdout.getReader()
  const { value } = await log.read()
  // What a new service says first is where it serves.
  const { url } = JSON.parse(new TextDecoder().decode(value).split('\n')[0] ?? '')
  await log.cancel()

  for (let requests = 0; requests < 20; requests++) {
    expect((await client(url).get('/languages')).status).toBe(200)
  }
  child.kill('SIGTERM')
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ''])
})
