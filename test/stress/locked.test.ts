import { expect, test } from 'bun:test'
import { openProduction } from '../support/executable/production.ts'
import { holdDatabase } from '../support/executable/stored.ts'
import { client } from '../support/http/client.ts'
import {
  milliseconds,
  percentile,
  printFigures,
  seconds,
  tally,
} from '../support/stress/figures.ts'
import { openShop, untilReady } from '../support/stress/shop.ts'

// Another process holds the write lock of the database for longer than anybody waits for it.

const LOCKED_MS = 10_000
const WAIT_MAX_MS = 5000
/** How long before its end those come who outlast it: a machine may stop for a while, too. */
const OUTLASTED_MS = 1000
const BUYERS = 10
const READ_EVERY_MS = 10

test('while another process writes on and on, writes wait five seconds and reads not at all', async () => {
  await using production = await openProduction()
  const alibi = await production.start()
  const shop = await openShop(production, alibi, BUYERS)
  const http = client(alibi.url)
  const events = shop.sessions.map(({ sessionId }) => shop.pay(sessionId))
  const [early, late] = [events.slice(0, BUYERS / 2), events.slice(BUYERS / 2)]

  const hold = holdDatabase(production)
  const lockedAt = performance.now()
  let isLocked = true
  const released = Bun.sleep(LOCKED_MS).then(() => {
    isLocked = false
    hold[Symbol.dispose]()
    return performance.now()
  })
  async function deliverAll(some: typeof events) {
    const statuses = await Promise.all(some.map(production.double.deliver))
    return { statuses, tookMs: performance.now() - lockedAt }
  }
  const refused = deliverAll(early)
  const visitor = http.post('/auth/verify-email', { email: 'visitor@example.com' })
  const readiness = untilReady(alibi, 503)
  const patient = Bun.sleep(LOCKED_MS - OUTLASTED_MS).then(() => deliverAll(late))

  const reads: number[] = []
  while (isLocked) {
    const before = performance.now()
    expect((await http.get('/premium-reasons', shop.token)).status).toBe(200)
    reads.push(performance.now() - before)
    await Bun.sleep(READ_EVERY_MS)
  }
  const releasedAt = await released
  const [first, second, answer, noticed] = await Promise.all([refused, patient, visitor, readiness])
  const recovered = performance.now() - releasedAt
  const readyAgain = await untilReady(alibi, 200)

  printFigures(
    'locked database',
    `webhook ${tally(first.statuses)} after ${seconds(first.tookMs)}; those that the lock outlasted by less ${tally(second.statuses)}, ` +
      `${milliseconds(recovered)} after its end; ${reads.length} reads meanwhile, p99 ${milliseconds(percentile(reads, 0.99))}, ` +
      `slowest ${milliseconds(percentile(reads, 1))}; /ready 503 after ${seconds(noticed)}, 200 ${milliseconds(recovered + readyAgain)} after its end`,
  )
  expect(new Set(first.statuses)).toEqual(new Set([503]))
  expect(first.tookMs).toBeWithin(WAIT_MAX_MS - 100, LOCKED_MS)
  expect(new Set(second.statuses)).toEqual(new Set([200]))
  expect(answer).toMatchObject({ status: 503, body: { error: 'Temporarily unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('30')
  expect(percentile(reads, 0.99)).toBeLessThan(500)
  expect(reads.length).toBeGreaterThan(100)
  expect(new Set(await production.double.deliverAll())).toEqual(new Set([200]))
  expect(
    await shop.withoutPremium(
      alibi,
      shop.sessions.map(({ email }) => email),
    ),
  ).toEqual([])
})
