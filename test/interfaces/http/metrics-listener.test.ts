import { describe, expect, onTestFinished, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { listenForMetrics } from '../../../interfaces/http/metrics-listener.ts'

const METRICS = { read: async () => 'up 1\n', contentType: 'text/plain; version=0.0.4' }

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
