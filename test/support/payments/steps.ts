import { expect } from 'bun:test'
import fc from 'fast-check'
import { TEST_LIMIT_MS } from '../patience.ts'
import { MOVES, type Move, type MoveKind } from './moves.ts'
import { type PlayedShop, readWord } from './played-shop.ts'
import { checkMoment, ENDINGS } from './shop-checks.ts'

/** How often a move is made, compared with the others; without the frequent ones a run would rarely come far. */
const WEIGHTS: Partial<Record<MoveKind, number>> = {
  checkOut: 8,
  pay: 8,
  refundAll: 3,
  refundBounces: 3,
  deliver: 8,
  deliverTwo: 4,
  loseAll: 5,
  pause: 3,
  reconcile: 3,
  sendOutbox: 3,
  // Premium by hand, or none at all, hides what becomes of the purchases.
  grant: 1,
  revoke: 1,
}
const WEIGHT = 2

export const KINDS = Object.keys(MOVES) as MoveKind[]

function moveOf(kinds: readonly MoveKind[]): fc.Arbitrary<Move> {
  const weighted = kinds.map((kind) => ({
    weight: WEIGHTS[kind] ?? WEIGHT,
    arbitrary: fc.record({ kind: fc.constant(kind), pick: fc.nat({ max: 1_000 }) }),
  }))
  return fc.oneof(...weighted)
}

/** What happens in a shop, one after the other: single moves, and several at the same moment. */
export type Steps = readonly (readonly Move[])[]

/** One move, or several at the same moment. Time stands still while they are made. */
const step: fc.Arbitrary<readonly Move[]> = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(moveOf(KINDS)) },
  {
    weight: 1,
    arbitrary: fc.array(moveOf(KINDS.filter((kind) => kind !== 'pause')), {
      minLength: 2,
      maxLength: 4,
    }),
  },
)

/** Random moves alone hardly ever lead to a second payment. */
export const OPENINGS: readonly (readonly MoveKind[])[] = [
  [],
  ['checkOut', 'pay'],
  ['checkOut', 'payLate', 'deliver'],
  ['checkOut', 'pay', 'reconcile', 'chargeBack', 'reconcile', 'checkOut', 'winDispute', 'pay'],
  [
    'checkOut',
    'pay',
    'reconcile',
    'chargeBack',
    'reconcile',
    'checkOut',
    'winDispute',
    'reconcile',
    'pay',
  ],
]

export function stepsAfter(
  openings: readonly (readonly MoveKind[])[],
  stepsMax: number,
): fc.Arbitrary<Steps> {
  return fc
    .tuple(
      fc.constantFrom(...openings),
      fc.array(step, { minLength: 1, maxLength: stepsMax, size: 'max' }),
    )
    .map(([opening, following]) => [...stepsOf(opening), ...following])
}

/** One move after the other. */
export function stepsOf(kinds: readonly MoveKind[]): Steps {
  return kinds.map((kind) => [{ kind, pick: 1 }])
}

const SKEW_MS = 30_000

/** What differs from run to run besides the steps. */
export const circumstances = {
  ending: fc.constantFrom(...ENDINGS),
  skewMs: fc.constantFrom(0, -SKEW_MS, SKEW_MS),
}

const SHRINKING_MS = TEST_LIMIT_MS / 4

/**
 * A property of every run. Once one has failed, looking for the smallest one that fails ends early enough for it, and
 * its seed, to be printed: no further run is played then.
 */
export function ofEveryRun<Run>(run: fc.Arbitrary<Run>, play: (one: Run) => Promise<void>) {
  let failedAt: number | null = null
  return fc.asyncProperty(run, async (one) => {
    if (failedAt !== null && performance.now() - failedAt > SHRINKING_MS) return
    try {
      await play(one)
    } catch (error) {
      failedAt ??= performance.now()
      throw error
    }
  })
}

/** The parts that the run has tried. */
export function newTally() {
  return {
    runs: 0,
    moves: 0,
    interleavings: 0,
    premium: 0,
    duplicates: 0,
    kinds: new Set<MoveKind>(),
  }
}

export type Tally = ReturnType<typeof newTally>

/** Takes the steps one after the other; after each of them what always holds is checked. */
export async function takeSteps(shop: PlayedShop, steps: Steps, tally: Tally): Promise<void> {
  for (const moves of steps) {
    await takeStep(shop, moves, tally)
    await checkMoment(shop)
  }
}

async function takeStep(shop: PlayedShop, moves: readonly Move[], tally: Tally): Promise<void> {
  const known = (await shop.account()).grants
  const results = await Promise.all(moves.map(({ kind, pick }) => MOVES[kind](shop, pick)))
  const kinds = moves.filter((_, index) => results[index]).map(({ kind }) => kind)
  tally.moves += kinds.length
  for (const kind of kinds) tally.kinds.add(kind)
  if (kinds.length > 1) tally.interleavings++

  const word = readWord((await shop.account()).grants)
  const [isGranted, isRevoked] = [kinds.includes('grant'), kinds.includes('revoke')]
  if (isRevoked) {
    const bought = known.filter(({ payment }) => payment !== null)
    for (const { id } of bought) expect(word.revoked).toContain(id)
    // Of grant and revocation at the same moment either may be the last word.
    if (!isGranted) expect(word.isGiven).toBe(false)
  } else {
    expect(word).toEqual({ ...shop.word(), ...(isGranted ? { isGiven: true } : {}) })
  }
  shop.learnWord(word)
}
