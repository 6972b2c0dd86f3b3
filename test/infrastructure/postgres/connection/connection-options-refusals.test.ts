import { describe, expect, onTestFinished, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { until } from '../../../support/executable/until.ts'
import { openDatabase } from '../../../support/postgres/open-database.ts'

describe('what is no PostgreSQL', () => {
  test('and never answers is given up in time', async () => {
    const port = await serve(() => {})
    const { query, poolState } = openDatabase(`postgres://u@127.0.0.1:${port}`, {
      DATABASE_TIMEOUT: '1s',
    })
    await expect(query('SELECT')).rejects.toMatchObject({ outage: 'storage' })
    await until('nothing is left of it', () => poolState().open === 0)
  })

  test('and never answers is given up after connect_timeout', async () => {
    const port = await serve(() => {})
    const url = `postgres://u@127.0.0.1:${port}/?connect_timeout=1&sslmode=require`
    await expectRefusal(url, 'timeout expired')
  })

  test.each<[string, (socket: Socket) => void, string]>([
    ['ends', (socket) => void socket.end(), 'Connection terminated unexpectedly'],
    ['says more than it should', (socket) => void socket.write('Sx'), 'There was an error'],
    ['says something else', (socket) => void socket.write('E'), 'There was an error'],
  ])('and %s is not gone on with', async (_, answer, reason) => {
    const port = await serve((socket) => socket.once('data', () => answer(socket)))
    await expectRefusal(`postgres://u:p@127.0.0.1:${port}/?sslmode=require`, reason)
  })
})

async function expectRefusal(url: string, reason: string): Promise<void> {
  const cause = expect.objectContaining({ message: expect.stringContaining(reason) })
  await expect(openDatabase(url).query('SELECT')).rejects.toMatchObject({ cause })
}

/** A server for the test that does with each connection what it is told. Its port is returned. */
async function serve(take: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    take(socket)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
