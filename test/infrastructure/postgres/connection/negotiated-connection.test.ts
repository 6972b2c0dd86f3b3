import { describe, expect, onTestFinished, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { SECOND_MS } from '../../../../domain/duration.ts'
import { hasPostgres } from '../../../support/postgres/binaries.ts'
import { openPool } from '../../../support/postgres/open-pool.ts'
import { ownCluster } from '../../../support/postgres/own-cluster.ts'
import { postgresServer } from '../../../support/postgres/shared-server.ts'
import { whenLate } from '../../../support/stopped-timers.ts'

if (hasPostgres()) {
  describe('several hosts', () => {
    test('lead to the one that takes writes, also once that is another', async () => {
      const cluster = await ownCluster({ fsync: false })
      const standby = await cluster.makeStandby()
      const hosts = `localhost:${standby.port},localhost:${cluster.port}`
      const url = `postgres://alibi:${encodeURIComponent(cluster.rolePassword)}@${hosts}/alibi`
      const pool = openPool(url)
      expect((await pool.query('SHOW port')).rows).toEqual([{ port: String(cluster.port) }])

      await cluster.kill()
      const refused = await openPool(url)
        .query('SELECT')
        .catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(Error)
      const { message } = refused as Error
      expect(message).toStartWith('no server can be used (')
      expect(message).toContain(`localhost:${standby.port}: the server takes no writes`)
      expect(message).not.toContain(cluster.rolePassword)

      await standby.promote()
      const writable = openPool(url)
      expect((await writable.query('SHOW port')).rows).toEqual([{ port: String(standby.port) }])
    })

    test('each have their share of the time', async () => {
      const server = await postgresServer()
      let isAsked = false
      const silent = await serve(() => {
        isAsked = true
      })
      const hosts = `127.0.0.1:${silent},127.0.0.1:${server.port}`
      const url = `postgres://alibi:${encodeURIComponent(server.rolePassword)}@${hosts}/postgres`
      const pool = openPool(url, { DATABASE_TIMEOUT: '2s' })
      const asking = () => pool.query('SELECT')
      expect((await whenLate(SECOND_MS, asking, () => isAsked)).rowCount).toBe(1)
    })
  })
}

describe('what is no PostgreSQL', () => {
  test('and never answers is given up in time', async () => {
    const port = await serve(() => {})
    const pool = openPool(`postgres://u@127.0.0.1:${port}`, { DATABASE_TIMEOUT: '1s' })
    await expect(pool.query('SELECT')).rejects.toThrow('connection timeout')
    expect(pool.totalCount).toBe(0)
  })

  test('and never answers is given up after connect_timeout', async () => {
    const port = await serve(() => {})
    const url = `postgres://u@127.0.0.1:${port}/?connect_timeout=1&sslmode=require`
    const pool = openPool(url, { DATABASE_TIMEOUT: '1m' })
    await expect(pool.query('SELECT')).rejects.toThrow('timed out')
  })

  test.each<[string, (socket: Socket) => void, string]>([
    ['ends', (socket) => void socket.end(), 'the server closed the connection'],
    ['says more than it should', (socket) => void socket.write('Sx'), 'the server offers no TLS'],
    ['says something else', (socket) => void socket.write('E'), 'the server offers no TLS'],
  ])('and %s is not gone on with', async (_, answer, reason) => {
    const port = await serve((socket) => socket.once('data', () => answer(socket)))
    const url = `postgres://u:p@127.0.0.1:${port}/?sslmode=require`
    await expect(openPool(url).query('SELECT')).rejects.toThrow(reason)
  })
})

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
