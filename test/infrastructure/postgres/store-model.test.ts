import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Unavailable } from '../../../application/unavailable.ts'
import type { Email } from '../../../domain/email.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { hasPostgres } from '../../support/postgres/binaries.ts'
import { choiceOf, type Picks, type Place } from '../../support/store-model/choice.ts'
import { CODE_MOVES } from '../../support/store-model/code-moves.ts'
import { contentsOf, figuresOf } from '../../support/store-model/contents.ts'
import { OTHER_MOVES } from '../../support/store-model/other-moves.ts'
import { PAYMENT_MOVES } from '../../support/store-model/payment-moves.ts'
import { openTemporaryPostgresStore } from '../../support/stores/postgres-store.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'
import { IS_WHOLE } from '../../support/thoroughness.ts'

const MOVES = { ...CODE_MOVES, ...PAYMENT_MOVES, ...OTHER_MOVES }
type MoveKind = keyof typeof MOVES

const KINDS = Object.keys(MOVES) as MoveKind[]
/** Without these, little would happen to the others. */
const FREQUENT: readonly MoveKind[] = [
  ...(['mailCode', 'mailCode', 'tryWrong', 'tryRight', 'loseMail'] as const),
  ...(['checkOut', 'checkOut', 'checkOut', 'attach', 'settle', 'settle', 'settle'] as const),
  ...(['refund', 'refund', 'dispute', 'revoke', 'deliver', 'endMessage'] as const),
]
/** Those that may make a purchase. */
const BUYING: readonly MoveKind[] = ['checkOut', 'openAnother', 'restore']
const RUNS = IS_WHOLE ? 300 : 25
const STEPS_MAX = 50

const pick = fc.nat({ max: 1_000 })
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS, ...FREQUENT),
    picks: fc.tuple(pick, pick, pick, pick),
  }),
  { minLength: 10, maxLength: STEPS_MAX, size: 'max' },
)

/** What the caller of a store learns: a value, a refusal, or that it failed, and whether it may try again. */
async function outcomeOf(work: () => Promise<unknown>): Promise<object> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof DomainError) return { refused: error.message, until: error.retryAt }
    return { failed: error instanceof Unavailable ? 'for now' : 'for good' }
  }
}

async function play(
  store: DatabaseStore,
  { kind, picks }: { kind: MoveKind; picks: Picks },
  place: Place,
) {
  const choice = choiceOf(place, picks)
  return { kind, outcome: await outcomeOf(() => MOVES[kind](store, choice)) }
}

if (hasPostgres()) {
  test('whatever is asked of it, PostgreSQL answers as SQLite does', async () => {
    const [sqlite, postgres] = [
      sqliteStore(openTemporaryDatabase()),
      await openTemporaryPostgresStore(),
    ]
    const seen: Record<string, number> = {}
    let run = 0

    await fc.assert(
      fc.asyncProperty(steps, async (moves) => {
        run++
        const names: Email[] = []
        const buying: number[] = []
        for (const [index, move] of moves.entries()) {
          const place = { run, index, buying }
          const expected = await play(sqlite, move, place)
          expect(await play(postgres, move, place)).toEqual(expected)
          if (move.kind === 'erase') names.push(choiceOf(place, move.picks).newName)
          if (BUYING.includes(move.kind)) buying.push(index)
          const [how] = Object.keys(expected.outcome)
          const isNothing = (expected.outcome as { value?: unknown }).value === null
          const key = `${move.kind} ${isNothing ? 'nothing' : how}`
          seen[key] = (seen[key] ?? 0) + 1
        }
        expect(await contentsOf(postgres, run, names)).toEqual(await contentsOf(sqlite, run, names))
        expect(await figuresOf(postgres)).toEqual(await figuresOf(sqlite))
      }),
      { numRuns: RUNS },
    )
    console.log(`two stores alike: ${run} runs, ${JSON.stringify(seen)}`)
  })
}
