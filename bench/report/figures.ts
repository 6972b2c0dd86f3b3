import type { Round, Rounds } from '../rounds.ts'

/** What the rounds of one scenario come to. Shares and multiples are of the bare server's figures. */
export type Figures = {
  /** Of the bare server's answers a second. */
  readonly share: number
  readonly microseconds: number
  readonly bareMicroseconds: number
  readonly p50: number
  readonly p99: number
  readonly p99Multiple: number
  readonly perSecond: number
  readonly mebibytes: number
}

export function figuresOf({ bare, alibi, mebibytes }: Rounds): Figures {
  const [own, base] = [medians(alibi), medians(bare)]
  return {
    share: own.perSecond / base.perSecond,
    microseconds: own.microseconds,
    bareMicroseconds: base.microseconds,
    p50: own.p50,
    p99: own.p99,
    p99Multiple: own.p99 / base.p99,
    perSecond: own.perSecond,
    mebibytes,
  }
}

function medians(rounds: readonly Round[]): Round {
  const of = (figure: keyof Round) => median(rounds.map((round) => round[figure]))
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    microseconds: of('microseconds'),
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[middle - 1 + (sorted.length % 2)], sorted[middle]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}
