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

const WAIT_MS = 5000
const BUYERS = 10
/** A write that held up the process would let through those alone that came before it. */
const READS_MIN = 5
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
  let waitedMs = 0
  const refused = Promise.all(
    early.map(async (event) => {
      const status = await production.double.deliver(event)
      waitedMs ||= performance.now() - lockedAt
      return status
    }),
  )
  const visitor = http.post('/auth/verify-email', { email: 'visitor@example.com' })
  const readiness = untilReady(alibi, 503)

  const reads: number[] = []
  while (waitedMs === 0) {
    const before = performance.now()
    expect((await http.get('/premium-reasons', shop.token)).status).toBe(200)
    reads.push(performance.now() - before)
    await Bun.sleep(READ_EVERY_MS)
  }
  const [first, answer, noticed] = await Promise.all([refused, visitor, readiness])
  const patient = Promise.all(late.map(production.double.deliver))
  // Answered after the others have been taken in.
  expect((await http.get('/premium-reasons', shop.token)).status).toBe(200)
  hold[Symbol.dispose]()
  const releasedAt = performance.now()
  const second = await patient
  const recovered = performance.now() - releasedAt
  const readyAgain = await untilReady(alibi, 200)

  printFigures(
    'locked database',
    `webhook ${tally(first)} after ${seconds(waitedMs)}; those that have outlasted the lock ${tally(second)}, ` +
      `${milliseconds(recovered)} after its end; ${reads.length} reads meanwhile, p99 ${milliseconds(percentile(reads, 0.99))}, ` +
      `slowest ${milliseconds(percentile(reads, 1))}; /ready 503 after ${seconds(noticed)}, 200 ${milliseconds(recovered + readyAgain)} after its end`,
  )
  expect(new Set(first)).toEqual(new Set([503]))
  expect(waitedMs).toBeGreaterThan(WAIT_MS - 100)
  expect(new Set(second)).toEqual(new Set([200]))
  expect(answer).toMatchObject({ status: 503, body: { error: 'Temporarily unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('30')
  expect(reads.length).toBeGreaterThan(READS_MIN)
  expect(new Set(await production.double.deliverAll())).toEqual(new Set([200]))
  expect(
    await shop.withoutPremium(
      alibi,
      shop.sessions.map(({ email }) => email),
    ),
  ).toEqual([])
})
