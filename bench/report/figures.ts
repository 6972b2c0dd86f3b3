/** One round of load on one server. Latencies are in milliseconds. */
export type Round = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The server's own time on a processor for each request. */
  readonly microseconds: number
  /** That of its main thread. The others could have a core of their own. */
  readonly mainMicroseconds: number
  /** The part of the round in which it was on a processor: all of it, unless something else was the bound. */
  readonly busy: number
  /** With half as many requests as the service bears, the same number for both servers. */
  readonly p99AtHalf: number
}

/** Rounds of both servers in turn, and the service's memory after the last one. */
export type Rounds = {
  readonly bare: readonly Round[]
  readonly alibi: readonly Round[]
  /** Commits a second that are made one by one, for what is durable once it is answered. */
  readonly singleCommits: readonly number[]
  /** From the start of the service until it was ready. */
  readonly startMs: number
  readonly mebibytes: number
}

/** What the rounds of one scenario come to: medians, also of the ratios of each round to the bare server's. */
export type Figures = Round & {
  /** Of the bare server's answers a second. */
  readonly share: number
  readonly bareMicroseconds: number
  readonly bareBusy: number
  readonly p99Multiple: number
  readonly p99AtHalfMultiple: number
  readonly mebibytes: number
  /** How many times as many answers as commits that are made one by one. Null where no answer promises a commit. */
  readonly singleCommitsMultiple: number | null
}

export function figuresOf({ bare, alibi, singleCommits, mebibytes }: Rounds): Figures {
  const own = medianOf(alibi)
  const base = medianOf(bare)
  const ratio = medianOf(alibi.map((round, index) => ratioOf(round, bare[index])))
  return {
    ...own,
    share: ratio.perSecond,
    bareMicroseconds: base.microseconds,
    bareBusy: base.busy,
    p99Multiple: ratio.p99,
    p99AtHalfMultiple: ratio.p99AtHalf,
    mebibytes,
    singleCommitsMultiple: singleCommits.length > 0 ? own.perSecond / median(singleCommits) : null,
  }
}

function ratioOf(round: Round, base: Round | undefined): Round {
  if (!base) throw new Error('a round without one of the bare server before it')
  return eachFigure((figure) => round[figure] / base[figure])
}

function medianOf(rounds: readonly Round[]): Round {
  return eachFigure((figure) => median(rounds.map((round) => round[figure])))
}

function eachFigure(figureOf: (figure: keyof Round) => number): Round {
  return {
    perSecond: figureOf('perSecond'),
    p50: figureOf('p50'),
    p99: figureOf('p99'),
    microseconds: figureOf('microseconds'),
    mainMicroseconds: figureOf('mainMicroseconds'),
    busy: figureOf('busy'),
    p99AtHalf: figureOf('p99AtHalf'),
  }
}

/** Of an even number of values, the mean of the two in the middle. Throws where there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const low = sorted[Math.ceil(sorted.length / 2) - 1]
  const high = sorted[Math.floor(sorted.length / 2)]
  if (low === undefined || high === undefined) throw new Error('no values, and so no median')
  return (low + high) / 2
}

/** The value that so large a share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}
