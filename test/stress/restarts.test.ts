import { expect, test } from 'bun:test'
import { checkEnds } from '../support/executable/ends.ts'
import { buyer, openProduction } from '../support/executable/production.ts'
import { carriedOut, inspectKilled, letOutboxTimePass } from '../support/executable/stored.ts'
import { until } from '../support/executable/until.ts'
import type { AlibiProcess } from '../support/service/alibi-process.ts'
import { milliseconds, percentile, printFigures } from '../support/stress/figures.ts'
import { untilReady } from '../support/stress/shop.ts'
import { IS_WHOLE, IS_WHOLE_STRESS } from '../support/thoroughness.ts'

// A supervisor that starts the service again whenever it is gone, as systemd does, and something that kills it.

const KILLS = IS_WHOLE_STRESS ? 500 : IS_WHOLE ? 50 : 25
const WORKERS = 4
const INSPECTED_EVERY = 10
const SOLD_EVERY = 10
const COMES_AGAIN_MS = 25

/** Spread over the time that a purchase takes, in no order. */
function aliveMs(kill: number, purchaseMs: number): number {
  return purchaseMs * (0.3 + ((kill * 67) % 100) / 100)
}

test('killed again and again under load it comes back by itself, and nothing that was acknowledged is lost', async () => {
  await using production = await openProduction()
  let alibi: AlibiProcess = await production.start()
  const premium = new Map<string, boolean>()
  let isOver = false
  let interrupted = 0

  /** As Stripe does: until it is taken. */
  async function deliver(event: Parameters<typeof production.double.deliver>[0]): Promise<void> {
    for (;;) {
      const status = await production.double.deliver(event).catch(() => null)
      if (status === 200) return
      await Bun.sleep(COMES_AGAIN_MS)
    }
  }

  /** One buyer after the other. Whoever is interrupted while proving the address or choosing goes home. */
  async function buyOn(worker: number): Promise<void> {
    for (let number = 0; !isOver; number++) {
      const email = `buyer-${worker}-${number}@example.com`
      try {
        const { prove, checkOut } = buyer(alibi, production, email)
        await prove()
        const { sessionId } = await checkOut()
        await deliver(production.double.pay(sessionId).at(-1)!)
        premium.set(email, true)
      } catch {
        interrupted++
        await Bun.sleep(COMES_AGAIN_MS)
      }
    }
  }

  const startedAt = performance.now()
  const workers = Array.from({ length: WORKERS }, (_, worker) => buyOn(worker))
  await until('somebody has bought', () => premium.size > 0)
  const purchaseMs = performance.now() - startedAt
  const gaps: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(aliveMs(kill, purchaseMs))
    const killedAt = performance.now()
    await alibi.stop('SIGKILL')
    if (kill % INSPECTED_EVERY === 0) {
      inspectKilled(production, ({ damage }) => expect(damage).toEqual([]))
    }
    const restartedAt = performance.now()
    alibi = await production.start()
    await untilReady(alibi, 200)
    const inspecting = kill % INSPECTED_EVERY === 0 ? restartedAt - killedAt : 0
    gaps.push(performance.now() - killedAt - inspecting)
    const sold = premium.size
    if (kill % SOLD_EVERY === 0) await until('somebody has bought', () => premium.size > sold)
  }
  isOver = true
  await Promise.all(workers)
  await alibi.stop()
  letOutboxTimePass(production)
  alibi = await production.start()
  await carriedOut(production)
  const { wrong, payments, confirmed } = await checkEnds(production, alibi, premium)

  printFigures(
    'kill -9 loop',
    `${KILLS} kills under load: ${payments} payments, ${premium.size} acknowledged, ${wrong.length} wrong ends, ` +
      `${confirmed} confirmed once, ${interrupted} visitors interrupted; ready again after ` +
      `${milliseconds(percentile(gaps, 0.5))} (median), ${milliseconds(percentile(gaps, 1))} at most`,
  )
  expect(wrong).toEqual([])
})
