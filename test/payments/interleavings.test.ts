import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '../../domain/duration.ts'
import { openPlayedShop } from '../support/payments/played-shop.ts'
import { checkEnd, type Ending, settleShop } from '../support/payments/shop-checks.ts'
import {
  circumstances,
  KINDS,
  newTally,
  OPENINGS,
  ofEveryRun,
  type Steps,
  stepsAfter,
  stepsOf,
  type Tally,
  takeSteps,
} from '../support/payments/steps.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { postgresPlace, type ServicePlace } from '../support/service/places.ts'
import { openEmptyMigratedDatabase } from '../support/stores/postgres-store.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

const RUNS = IS_WHOLE ? 500 : 70
/** On PostgreSQL, where each move takes several round trips. */
const REMOTE_RUNS = IS_WHOLE ? 20 : 11
const STEPS_MAX = 60
const ROUNDS_MAX = 2
const KEY_LIFETIME_MS = 25 * HOUR_MS

type Run = Parameters<typeof openPlayedShop>[0] & { readonly steps: Steps; readonly ending: Ending }

const run: fc.Arbitrary<Run> = fc.record({
  ...circumstances,
  areEventsLost: fc.boolean(),
  steps: stepsAfter(OPENINGS, STEPS_MAX),
})

/** What chance may leave out: two runs come to a second payment, and three make every move, two moves at once. */
const CERTAIN: [Run][] = [
  ...OPENINGS.slice(-2).map(stepsOf),
  [
    ...stepsOf(['checkOut', 'decline', 'seePage', 'payLate']),
    [
      { kind: 'deliver', pick: 1 },
      { kind: 'look', pick: 1 },
    ],
    ...stepsOf(['moneyArrives', 'deliverTwo', 'deliverOld']),
    // It is pending: the bank takes its time.
    [{ kind: 'refundPart', pick: 2 }],
    ...stepsOf(['refundArrives', 'refundAll', 'refundBounces', 'sendOutbox', 'grant', 'revoke']),
  ] satisfies Steps,
  stepsOf(['checkOut', 'expire', 'pause', 'reconcile', 'checkOut', 'payLate', 'moneyBounces']),
  [
    ...stepsOf(['checkOut', 'pay', 'loseOne', 'loseAll', 'inquire', 'escalate', 'winDispute']),
    ...stepsOf(['inquire', 'dropInquiry', 'chargeBack', 'loseDispute']),
  ],
].map((steps) => [{ skewMs: 0, areEventsLost: true, steps, ending: 'deliveries first' }])

async function play(
  { steps, ending, ...rest }: Run,
  tally: Tally,
  place?: ServicePlace,
): Promise<void> {
  const shop = await openPlayedShop(rest, place)
  try {
    await takeSteps(shop, steps, tally)
    await settleShop(shop, ending)
    for (let round = 0; round < ROUNDS_MAX; round++) {
      // For a day Stripe repeats a refusal to whoever comes with the same idempotency key.
      shop.clock.advance(KEY_LIFETIME_MS)
      await shop.service.deliverOutbox()
    }
    await settleShop(shop, ending)
    await checkEnd(shop)

    if (await shop.hasPremium()) tally.premium++
    const { purchases } = await shop.account()
    if (purchases.some((one) => one.state === 'paid' && one.isDuplicate)) tally.duplicates++
  } finally {
    await shop.close()
  }
}

test('whatever happens in whatever order, premium follows from what was paid, given back and said', async () => {
  const tally = newTally()
  await fc.assert(
    ofEveryRun(run, async (one) => {
      await play(one, tally)
      tally.runs++
    }),
    { numRuns: RUNS, examples: CERTAIN },
  )
  const { runs, moves, interleavings, premium, duplicates, kinds } = tally
  console.log(
    `interleavings: ${runs} runs, ${moves} moves, ${interleavings} times several at once, 0 wrong ends`,
  )
  console.log(`  premium at the end of ${premium} runs, a second payment in ${duplicates}`)

  expect([...kinds].sort()).toEqual([...KINDS].sort())
  expect([premium > 0, premium < runs, duplicates > 0]).toEqual([true, true, true])
})

test.if(hasPostgres())('it does so on PostgreSQL, too', async () => {
  const tally = newTally()
  await fc.assert(
    ofEveryRun(run, async (one) => {
      await using database = await openEmptyMigratedDatabase()
      await play(one, tally, postgresPlace(database.url))
      tally.runs++
    }),
    { numRuns: REMOTE_RUNS, examples: CERTAIN },
  )
  const { runs, moves, interleavings, duplicates } = tally
  console.log(
    `interleavings on PostgreSQL: ${runs} runs, ${moves} moves, ${interleavings} times several at once, 0 wrong ends`,
  )
  expect([interleavings > 0, duplicates > 0]).toEqual([true, true])
})
