import { describe, expect, onTestFinished, test } from 'bun:test'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { listenForMetrics } from '../../../interfaces/http/metrics-listener.ts'

const METRICS = { read: async () => 'up 1\n', contentType: 'text/plain; version=0.0.4' }

/** Sends these very bytes and returns all that comes back until the other side closes. */
async function exchange(base: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(text))
  return (await Array.fromAsync(socket, String)).join('')
}

function open() {
  const failures: unknown[] = []
  const listener = listenForMetrics({ port: 0, onFailure: (error) => void failures.push(error) })
  onTestFinished(listener.stop)
  return { listener, failures, base: new URL(listener.url).origin }
}

describe('the listener for metrics', () => {
  test('answers GET and HEAD of /metrics, and nothing else', async () => {
    const { listener, base } = open()
    listener.use(METRICS)
    const answer = await fetch(listener.url)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(METRICS.contentType)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).toBe('up 1\n')
    expect((await fetch(`${listener.url}?collect=all`)).status).toBe(200)
    expect((await fetch(listener.url, { method: 'HEAD' })).status).toBe(200)
    for (const path of ['/', '/metrics/', '/ready', '/languages', '/webhook/stripe']) {
      expect([path, (await fetch(base + path)).status]).toEqual([path, 404])
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect([method, (await fetch(listener.url, { method })).status]).toEqual([method, 404])
    }
  })

  test.each([
    ['127.0.0.1', 200],
    ['127.0.0.1:9464', 200],
    ['localhost', 200],
    ['LocalHost:1', 200],
    ['[::1]', 200],
    ['[::1]:9464', 200],
    ['evil.example', 403],
    ['evil.example:9464', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['evil.example:127.0.0.1', 403],
    ['evil.example@localhost', 403],
    ['localhost:', 403],
    ['localhost:x', 403],
    ['192.0.2.1', 403],
    ['0.0.0.0', 403],
    ['', 403],
    ['::1', 403],
  ])('answers a program that asks by the name %p with %d', async (host, status) => {
    const { listener, base } = open()
    listener.use(METRICS)
    const headers = `Host: ${host}\r\nConnection: close\r\n`
    for (const target of ['/metrics', `${base}/metrics`]) {
      const answer = await exchange(base, `GET ${target} HTTP/1.1\r\n${headers}\r\n`)
      // Bun itself refuses what is no host at all.
      expect([target, answer.includes('up 1')]).toEqual([target, status === 200])
      expect([`${status}`, '400']).toContain(answer.slice(9, 12))
    }
  })

  test('answers no program that names no host', async () => {
    const { listener, base } = open()
    listener.use(METRICS)
    const answer = await exchange(base, 'GET /metrics HTTP/1.0\r\n\r\n')
    expect(answer.slice(9, 12)).toBe('403')
  })

  test('is there before the metrics are, and says so', async () => {
    const { listener } = open()
    expect((await fetch(listener.url)).status).toBe(503)
    listener.use(METRICS)
    expect((await fetch(listener.url)).status).toBe(200)
  })

  test('answers 500 without a word where the metrics fail, tells the operator, and goes on', async () => {
    const { listener, failures } = open()
    const bug = new Error('private')
    let fails = true
    listener.use({ ...METRICS, read: async () => (fails ? Promise.reject(bug) : 'up 1\n') })
    const answer = await fetch(listener.url)
    expect([answer.status, await answer.text()]).toEqual([500, ''])
    expect(failures).toEqual([bug])
    fails = false
    expect((await fetch(listener.url)).status).toBe(200)
  })

  test('reads no body', async () => {
    const { listener } = open()
    listener.use(METRICS)
    expect((await fetch(listener.url, { method: 'POST', body: 'x' })).status).toBe(413)
  })

  test('cuts off answers under way when it stops', async () => {
    const { listener } = open()
    const asked = Promise.withResolvers<void>()
    listener.use({
      ...METRICS,
      read() {
        asked.resolve()
        return new Promise<string>(() => {})
      },
    })
    const answer = fetch(listener.url)
    await asked.promise
    listener.stop()
    await expect(answer).rejects.toThrow('ECONNRESET')
  })

  test('is reached from this machine alone', async () => {
    const { listener } = open()
    const { hostname, port } = new URL(listener.url)
    expect(hostname).toBe('127.0.0.1')
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
    if (others.length === 0) process.stdout.write('not tested here: this machine has one address\n')
    for (const { address } of others) {
      await expect(fetch(`http://${address}:${port}/metrics`)).rejects.toThrow('Unable to connect')
    }
  })

  test('throws at once where the port is taken', () => {
    const { listener } = open()
    const port = Number(new URL(listener.url).port)
    expect(() => listenForMetrics({ port, onFailure() {} })).toThrow(String(port))
  })
})
