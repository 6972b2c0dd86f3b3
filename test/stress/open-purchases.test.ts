import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import type { ListPage, ListWindow } from '../../application/ports.ts'
import { callPace, pacedPayments } from '../../application/reconciling/paced-payments.ts'
import { reconcilePayments } from '../../application/reconciling/reconcile-payments.ts'
import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import type { Purchase } from '../../domain/purchase.ts'
import type { SessionReport } from '../../domain/session-report.ts'
import { sqliteStore } from '../../infrastructure/sqlite/store.ts'
import { virtualTime } from '../support/abuse/virtual-time.ts'
import { fakePorts, NOON } from '../support/fakes.ts'
import { openPurchase } from '../support/stores/contract-purchases.ts'
import { openTemporaryDatabase } from '../support/stores/stores.ts'
import { megabytes, printFigures, seconds } from '../support/stress/figures.ts'
import { scriptedPayments } from '../support/stripe/scripted-payments.ts'
import { IS_WHOLE_STRESS } from '../support/thoroughness.ts'

const PURCHASES = IS_WHOLE_STRESS ? 100_000 : 10_000
/** So many are open at once where a page is open for half an hour. */
const APART_MS = (30 * MINUTE_MS) / PURCHASES
const PAGE_SIZE = 100
/** What a page of a list takes Stripe. */
const LATENCY_MS = 350
const RUNNING = new AbortController().signal

const PURCHASED: readonly Purchase[] = Array.from({ length: PURCHASES }, (_, number) => {
  const id = `pur_${String(number).padStart(6, '0')}`
  return openPurchase(id, {
    email: `buyer${number}@example.com` as Email,
    sessionId: `cs_test_${number}`,
    createdAt: new Date(NOON.getTime() + number * APART_MS),
  })
})

/** The provider's side of all of them. */
function largeProvider(wait: (milliseconds: number) => Promise<void>) {
  const paid = new Set<number>()
  const reportOf = (number: number): SessionReport => ({
    sessionId: `cs_test_${number}`,
    purchaseId: PURCHASED[number]!.id,
    outcome: paid.has(number) ? 'paid' : 'open',
    order: null,
    amountSubtotal: 400,
    amountTotal: 400,
    amountDiscount: 0,
    amountTax: 0,
    currency: 'eur',
    live: false,
    singlePayment: true,
    paymentIntentId: paid.has(number) ? `pi_${number}` : null,
    url: null,
  })
  const numberAt = (moment: Date) => (moment.getTime() - NOON.getTime()) / APART_MS

  return {
    ...scriptedPayments(),
    paid,
    async findSessions({ since, until, cursor }: ListWindow & { until: Date }) {
      await wait(LATENCY_MS)
      const last = Math.min(PURCHASES - 1, Math.floor(numberAt(until)))
      const from = cursor === null ? last : Number(cursor)
      const first = Math.max(0, Math.ceil(numberAt(since)))
      const to = Math.max(first, from - PAGE_SIZE + 1)
      const items = Array.from({ length: from - to + 1 }, (_, index) => reportOf(from - index))
      const page: ListPage<SessionReport> = {
        items,
        unreadable: [],
        cursor: to > first ? String(to - 1) : null,
      }
      return page
    },
  }
}

/** Calls at a moment within any second, at most. */
function mostInASecond(moments: readonly number[]): number {
  let first = 0
  return moments.reduce((most, at, index) => {
    while ((moments[first] ?? 0) <= at - SECOND_MS) first++
    return Math.max(most, index - first + 1)
  }, 0)
}

test('a great many open purchases are read in about a minute, below 20 calls a second, a page at a time', async () => {
  const database = openTemporaryDatabase()
  const store = sqliteStore(database)
  const client = database.queries.$client
  const insert = client.prepare(
    `INSERT INTO purchases (id, email, language, price_amount, price_currency, live, state,
      created_at, expires_at, session_id)
    VALUES (?1, ?2, 'en', 400, 'eur', 0, 'open', ?3, ?4, ?5)`,
  )
  client.transaction(() => {
    for (const { id, email, createdAt, expiresAt, sessionId } of PURCHASED) {
      insert.run(id, email, createdAt.getTime(), expiresAt.getTime(), sessionId)
    }
  })()

  const startMs = NOON.getTime() + 30 * MINUTE_MS
  const { clock, timers, begin, whileWaiting, moveTo } = virtualTime(new Date(startMs))
  const wait = (milliseconds: number) =>
    whileWaiting(new Promise<void>((resolve) => void timers.schedule(milliseconds, resolve)))
  const provider = largeProvider(wait)
  const pace = callPace({ monotonicMs: timers.monotonicMs, wait })
  const calls: number[] = []
  const payments = pacedPayments(provider, async () => {
    await pace()
    calls.push(timers.monotonicMs())
  })
  const ports = { ...fakePorts({ ...store, clock }), payments }
  const bytesBefore = heldBytes()
  let bytesMost = bytesBefore

  let tookMs = 0
  let repaired = 0
  async function run() {
    const begunAtMs = timers.monotonicMs()
    const [report] = await reconcilePayments(ports, {
      only: 'due',
      stopping: RUNNING,
      onProgress({ checked }) {
        if (checked % 10_000 === 0) bytesMost = Math.max(bytesMost, heldBytes())
      },
    })
    tookMs = timers.monotonicMs() - begunAtMs
    repaired = report?.repaired ?? 0
    expect(report).toMatchObject({ checked: PURCHASES, failed: 0, finished: true })
  }

  async function runUntil(at: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    begin(() => run().then(resolve))
    await moveTo(at)
    await promise
  }

  await runUntil(startMs + 3 * MINUTE_MS)
  expect(repaired).toBe(0)
  const listCalls = calls.length
  expect(mostInASecond(calls)).toBeLessThan(20)
  expect(listCalls).toBeLessThan((PURCHASES / PAGE_SIZE) * 1.5 + 10)
  // What a run waits for, not what it computes: this time is moved.
  expect(tookMs).toBeLessThan(90 * SECOND_MS)
  const firstMs = tookMs

  for (const number of [0, PURCHASES >> 1, PURCHASES - 1]) provider.paid.add(number)
  await runUntil(startMs + 6 * MINUTE_MS)
  expect(repaired).toBe(3)
  const { open, paid } = await store.statistics.countPurchases()
  expect([open, paid]).toEqual([PURCHASES - 3, 3])
  expect(mostInASecond(calls)).toBeLessThan(20)

  // Some lists at once, and never all purchases.
  expect(bytesMost - bytesBefore).toBeLessThan(64_000_000)
  printFigures(
    'open purchases',
    `${PURCHASES} read in ${seconds(firstMs)} by ${listCalls} calls, at most ${mostInASecond(calls)} in a second; ` +
      `${megabytes(bytesMost - bytesBefore)} more memory at most`,
  )
})

/** Of objects that are still in use. */
function heldBytes(): number {
  Bun.gc(true)
  return heapStats().heapSize
}
