import { expect, onTestFinished, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import { Client } from 'pg'
import { until } from '../executable/until.ts'
import { hasPostgres } from './binaries.ts'
import { freshDatabase } from './fresh-database.ts'
import { query } from './query.ts'
import { postgresServer } from './shared-server.ts'
import { tcpProxy } from './tcp-proxy.ts'

/** The port of a server that repeats all that it hears, with its name in front. */
async function repeater(name: string): Promise<number> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('data', (data) => socket.write(`${name}:${data}`)).on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return (server.address() as { port: number }).port
}

function visitor(port: number) {
  let heard = ''
  let trouble: string | null = null
  const socket = connect({ host: '127.0.0.1', port })
    .on('data', (data) => {
      heard += data
    })
    .on('error', (error: NodeJS.ErrnoException) => {
      trouble = error.code ?? error.message
    })
  onTestFinished(() => void socket.destroy())
  return {
    say: (words: string) => socket.write(words),
    hears: (words: string) => until(`${words} is heard`, () => heard === words),
    heard: () => heard,
    meets: (code: string) => until(`${code} is met`, () => trouble === code),
    isConnected: () => until('it is connected', () => !socket.connecting),
  }
}

test('a proxy carries everything on, and counts it', async () => {
  const proxy = await tcpProxy({ to: await repeater('a') })
  const one = visitor(proxy.port)
  one.say('x')
  await one.hears('a:x')
  const other = visitor(proxy.port)
  other.say('yy')
  await other.hears('a:yy')
  expect(proxy.counters()).toEqual({ accepted: 2, open: 2, bytesToServer: 3, bytesToClient: 7 })
})

test('a proxy that hangs takes connections and carries nothing on until it passes again', async () => {
  const proxy = await tcpProxy({ to: await repeater('a') })
  const open = visitor(proxy.port)
  open.say('x')
  await open.hears('a:x')
  await proxy.setMode('hang')
  open.say('y')
  const late = visitor(proxy.port)
  late.say('z')
  await late.isConnected()
  await until('both are there', () => proxy.counters().open === 2)
  expect([open.heard(), late.heard(), proxy.counters().bytesToServer]).toEqual(['a:x', '', 1])
  await proxy.setMode('pass')
  await open.hears('a:xa:y')
  await late.hears('a:z')
})

test('a proxy that refuses leaves open connections alone', async () => {
  const proxy = await tcpProxy({ to: await repeater('a') })
  const open = visitor(proxy.port)
  open.say('x')
  await open.hears('a:x')
  await proxy.setMode('refuse')
  await visitor(proxy.port).meets('ECONNREFUSED')
  open.say('y')
  await open.hears('a:xa:y')
  await proxy.setMode('pass')
  const late = visitor(proxy.port)
  late.say('z')
  await late.hears('a:z')
})

test('connections that are cut are reset, those that hang as well', async () => {
  const proxy = await tcpProxy({ to: await repeater('a') })
  const open = visitor(proxy.port)
  open.say('x')
  await open.hears('a:x')
  proxy.cut()
  await open.meets('ECONNRESET')
  await proxy.setMode('hang')
  const hanging = visitor(proxy.port)
  await until('it is there', () => proxy.counters().open === 1)
  proxy.cut()
  await hanging.meets('ECONNRESET')
  expect(proxy.counters().open).toBe(0)
})

test('connections go to the other server after a switch', async () => {
  const proxy = await tcpProxy({ to: await repeater('a') })
  const old = visitor(proxy.port)
  old.say('x')
  await old.hears('a:x')
  proxy.switchTo(await repeater('b'))
  const late = visitor(proxy.port)
  late.say('x')
  await late.hears('b:x')
  old.say('y')
  await old.hears('a:xa:y')
})

if (hasPostgres()) {
  test('PostgreSQL is reached through a proxy, and waits while that hangs', async () => {
    const { url } = await freshDatabase()
    const proxy = await tcpProxy({ to: (await postgresServer()).port })
    const client = new Client({ connectionString: proxy.through(url) })
    client.on('error', () => {})
    await client.connect()
    onTestFinished(() => client.end())
    await proxy.setMode('hang')
    let isAnswered = false
    const answer = client.query('SELECT 1 AS one').finally(() => {
      isAnswered = true
    })
    await query(url, 'SELECT 1')
    expect(isAnswered).toBe(false)
    await proxy.setMode('pass')
    expect((await answer).rows).toEqual([{ one: 1 }])
  })
}
