import { expect, test } from 'bun:test'
import { openProduction } from '../support/executable/production.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { printFigures } from '../support/stress/figures.ts'

// One client asks for what is cheap, as often as it can, so that the log fills the disk.

const REQUESTS = 2000
const AT_ONCE = 50
const OUTAGES = 300

type Line = { event: string; path?: string | null; status?: number; count?: number; stack?: string }

function linesOf({ output }: Pick<AlibiProcess, 'output'>): readonly Line[] {
  return output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
}

/** Sends so many requests, some of them at a time, and returns how often each status was answered. */
async function flood(
  times: number,
  send: (index: number) => Promise<Response>,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  let next = 0
  async function ask() {
    while (next < times) {
      const response = await send(next++)
      await response.arrayBuffer()
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  return statuses
}

test('a flood of what no limit bounds, and of what one refuses, is counted and loses no count', async () => {
  await using production = await openProduction()
  const env = { ...production.settings, RATE_LIMIT_GENERAL: '10/15m' }
  const alibi = await production.start({ env })
  const before = alibi.output().length
  const startedAt = performance.now()
  const health = await flood(REQUESTS, () => fetch(`${alibi.url}/health`))
  const limited = await flood(REQUESTS, () => fetch(`${alibi.url}/languages`))
  const forged = await flood(REQUESTS, () =>
    fetch(`${alibi.url}/webhook/stripe`, { method: 'POST', body: '{}' }),
  )
  expect([health, limited, forged]).toEqual([
    { 200: REQUESTS },
    { 200: 10, 429: REQUESTS - 10 },
    { 400: REQUESTS },
  ])
  expect(await alibi.stop()).toBe(0)
  const seconds = Math.ceil((performance.now() - startedAt) / 1000)
  const bytes = alibi.output().length - before
  printFigures('flooded log', `${3 * REQUESTS} requests in ${seconds} s wrote ${bytes} bytes`)

  const lines = linesOf(alibi)
  const counted = lines.filter(({ event }) => event === 'http.requests_counted')
  const total = (path: string, status: number) =>
    counted
      .filter((line) => line.path === path && line.status === status)
      .reduce((sum, { count = 0 }) => sum + count, 0)
  expect(total('/health', 200)).toBe(REQUESTS)
  expect(total('/languages', 429)).toBe(REQUESTS - 10)
  expect(total('/webhook/stripe', 400)).toBe(REQUESTS)
  expect(counted.length).toBeLessThanOrEqual(3 * (seconds + 1))
  expect(lines.filter(({ event }) => event === 'http.request')).toHaveLength(10)
  expect(lines.at(-1)?.event).toBe('service.stopped')
})

test('an outage writes its stack once for many requests, and each 503 a line', async () => {
  await using production = await openProduction()
  const alibi = await production.start({ env: { ...production.settings, MAIL_LIMIT: 'off' } })
  production.mailbox.stop()
  const startedAt = performance.now()
  const answered = await flood(OUTAGES, (index) =>
    fetch(`${alibi.url}/auth/verify-email`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: `stranger-${index}@example.com` }),
    }),
  )
  expect(answered).toEqual({ 503: OUTAGES })
  expect(await alibi.stop()).toBe(0)
  const intervals = 1 + Math.ceil((performance.now() - startedAt) / 10_000)

  const lines = linesOf(alibi)
  const outages = lines.filter(({ event }) => event === 'provider.unavailable')
  const inFull = outages.filter(({ stack }) => stack !== undefined)
  const more = outages.reduce((sum, { count = 0 }) => sum + count, 0)
  expect(inFull.length + more).toBe(OUTAGES)
  expect(inFull.length).toBeLessThanOrEqual(intervals)
  expect(
    lines.filter(({ event, status }) => event === 'http.request' && status === 503),
  ).toHaveLength(OUTAGES)
})
