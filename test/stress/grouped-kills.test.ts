import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openProduction, type Production, SECRETS } from '../support/executable/production.ts'
import { inspectKilled, stored } from '../support/executable/stored.ts'
import { seededRandom } from '../support/seeded-random.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { percentile, printFigures } from '../support/stress/figures.ts'
import {
  adaptedStripeEvent,
  PAYLOAD_PURCHASE_ID,
  signedDelivery,
} from '../support/stripe/stripe-events.ts'
import { IS_WHOLE, IS_WHOLE_STRESS } from '../support/thoroughness.ts'

// Many webhooks at once share their commits. Whatever moment a kill comes at, what was answered is there.

const KILLS = IS_WHOLE_STRESS ? 1000 : IS_WHOLE ? 40 : 8
const AT_ONCE = 64
const INSPECTED_EVERY = IS_WHOLE_STRESS ? 50 : 4
/** From the sending on, and with every other kill from the first answer on. Until then there is always more to tell. */
const ALIVE_MS_MAX = 60

type Sale = { readonly number: number; readonly sessionId: string; readonly purchaseId: string }

function saleOf(number: number): Sale {
  const digits = String(number).padStart(8, '0')
  return {
    number,
    sessionId: `cs_test_${digits}`,
    purchaseId: PAYLOAD_PURCHASE_ID.slice(0, -digits.length) + digits,
  }
}

/** Pages that are about to be paid, put beside a service that does not run. */
function openPages({ databasePath }: Production, sales: readonly Sale[]): void {
  const { amount_subtotal: amount, currency } = paidEvent(saleOf(0)).data.object
  const now = Date.now()
  const database = new Database(databasePath)
  const insert = database.prepare(
    `INSERT INTO purchases (id, email, language, price_amount, price_currency, live, state, created_at, expires_at,
      session_id) VALUES (?, ?, 'en', ?, ?, 0, 'open', ?, ?, ?)`,
  )
  database.transaction(() => {
    for (const { number, purchaseId, sessionId } of sales) {
      const price = [Number(amount), String(currency)] as const
      insert.run(purchaseId, `buyer-${number}@example.com`, ...price, now, now + 3e6, sessionId)
    }
  })()
  // Else the connection lives on until the garbage is collected, and SQLite mends no file that anybody has open.
  insert.finalize()
  database.close(true)
}

function paidEvent({ number, purchaseId, sessionId }: Sale) {
  return adaptedStripeEvent('checkout.session.completed.paid', {
    purchaseId,
    sessionId,
    paymentIntentId: `pi_${number}`,
    email: `buyer-${number}@example.com`,
    envelope: { id: `evt_${number}` },
  })
}

type Delivery = { readonly sale: Sale; readonly body: Uint8Array<ArrayBuffer>; signature: string }

async function sign(sale: Sale): Promise<Delivery> {
  const secret = SECRETS.STRIPE_WEBHOOK_SECRET
  const { payload, signature } = await signedDelivery(paidEvent(sale), { secret, at: new Date() })
  return { sale, body: new Uint8Array(payload), signature }
}

/** The status of the answer, once it has come whole: null where the kill came first. */
async function tell({ url }: AlibiProcess, { body, signature }: Delivery): Promise<number | null> {
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
  try {
    const answer = await fetch(`${url}/webhook/stripe`, { method: 'POST', headers, body })
    await answer.text()
    return answer.status
  } catch {
    return null
  }
}

/** The sales that are stored whole: paid, with their entry in the audit trail and their mail in the outbox. */
function paidSales(production: Production): ReadonlySet<unknown> {
  const rows = stored(
    production,
    `SELECT session_id FROM purchases WHERE state = 'paid'
      AND EXISTS (SELECT 1 FROM audit_entries WHERE grant_id = purchases.id AND reason = 'paid')
      AND EXISTS (SELECT 1 FROM outbox WHERE purchase_id = purchases.id)`,
  )
  return new Set(rows.map((row) => row['session_id']))
}

function countPaid(production: Production): unknown {
  return stored(production, "SELECT count(*) AS n FROM purchases WHERE state = 'paid'")[0]?.['n']
}

test('killed at any moment under 64 webhooks at once it has every event that it has acknowledged', async () => {
  await using production = await openProduction()
  const { below } = seededRandom(15)
  let alibi = await production.start()
  await alibi.stop()
  const acknowledged: Sale[] = []
  const perKill: number[] = []
  let waiting: Sale[] = []
  let opened = 0
  let unanswered = 0

  for (let kill = 0; kill < KILLS; kill++) {
    const fresh = Array.from({ length: 4 * AT_ONCE - waiting.length }, () => saleOf(opened++))
    openPages(production, fresh)
    waiting.push(...fresh)
    alibi = await production.start()

    const now = new Set<Sale>()
    const firstAnswer = Promise.withResolvers<void>()
    const untold = await Promise.all(waiting.map(sign))
    const again = untold[0]!
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (;;) {
        const delivery = untold.shift() ?? again
        const status = await tell(alibi, delivery)
        if (status === null) {
          unanswered++
          return
        }
        expect(status).toBe(200)
        now.add(delivery.sale)
        firstAnswer.resolve()
      }
    })
    if (kill % 2 === 1) await firstAnswer.promise
    await Bun.sleep(below(ALIVE_MS_MAX))
    await alibi.stop('SIGKILL')
    await Promise.all(workers)

    acknowledged.push(...now)
    perKill.push(now.size)
    waiting = waiting.filter((sale) => !now.has(sale))
    if (kill % INSPECTED_EVERY === 0) {
      inspectKilled(production, ({ damage }) => expect(damage).toEqual([]))
    }
  }

  const whole = paidSales(production)
  const lost = acknowledged.filter(({ sessionId }) => !whole.has(sessionId))
  printFigures(
    'kill -9 under grouped webhooks',
    `${KILLS} kills, ${AT_ONCE} at once: ${acknowledged.length} acknowledged, ${lost.length} lost, ${whole.size} stored, ` +
      `${unanswered} unanswered, ${percentile(perKill, 0.5)} acknowledged a kill (median)`,
  )
  expect(lost).toEqual([])
  expect(countPaid(production)).toBe(whole.size)
  expect(await production.run(['audit'])).toMatchObject({ exitCode: 0, stdout: '' })
  inspectKilled(production, ({ damage }) => expect(damage).toEqual([]))
})
