import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { openPlayedShop } from '../support/payments/played-shop.ts'
import { checkAudit, type Ending, settleShop } from '../support/payments/shop-checks.ts'
import {
  circumstances,
  newTally,
  OPENINGS,
  ofEveryRun,
  type Steps,
  stepsAfter,
  stepsOf,
  takeSteps,
} from '../support/payments/steps.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

const RUNS = IS_WHOLE ? 150 : 25
/** Before the copy is made, until it is put back, and afterwards. */
const STEPS_MAX = 20

type Run = {
  readonly skewMs: number
  readonly ending: Ending
  readonly before: Steps
  readonly forgotten: Steps
  readonly after: Steps
}

const run: fc.Arbitrary<Run> = fc.record({
  ...circumstances,
  before: stepsAfter(OPENINGS, STEPS_MAX),
  forgotten: stepsAfter(OPENINGS, STEPS_MAX),
  after: stepsAfter([[]], STEPS_MAX),
})

/** A run that loses a payment for certain. */
const LOST: [Run] = [
  {
    skewMs: 0,
    ending: 'reconciling only',
    before: [],
    forgotten: stepsOf(['checkOut', 'pay']),
    after: [],
  },
]

test('a database from an earlier copy comes to know again what was paid and given back since', async () => {
  const tally = newTally()
  let regained = 0

  async function play({ before, forgotten, after, ending, skewMs }: Run): Promise<void> {
    // To a restored database every delivery of the time in between is a lost one.
    const shop = await openPlayedShop({ skewMs, areEventsLost: true })
    try {
      await takeSteps(shop, before, tally)
      const restore = shop.backUp()
      await takeSteps(shop, forgotten, tally)
      const { purchases } = await shop.account()
      restore()
      const known = (await shop.account()).purchases
      await takeSteps(shop, after, tally)

      await settleShop(shop, ending)
      await shop.service.deliverOutbox()
      await settleShop(shop, ending)
      await checkAudit(shop)

      const lost = purchases.filter(({ id }) => known.every((one) => one.id !== id))
      const now = (await shop.account()).purchases
      if (lost.some(({ id }) => now.some((one) => one.id === id && one.state === 'paid'))) {
        regained++
      }
    } finally {
      await shop.close()
    }
  }

  await fc.assert(
    ofEveryRun(run, async (one) => {
      await play(one)
      tally.runs++
    }),
    { numRuns: RUNS, examples: [LOST] },
  )
  console.log(
    `restored databases: ${tally.runs} runs, ${tally.moves} moves, ${regained} with payments whose rows were lost, 0 wrong ends`,
  )
  expect(regained).toBeGreaterThan(0)
})
