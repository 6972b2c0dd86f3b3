/** One round of load on one server. Latencies are in milliseconds. */
export type Round = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The server's own time on a processor for each request. */
  readonly microseconds: number
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

/** What the rounds of one scenario come to: medians, and their ratios to the bare server's. */
export type Figures = {
  /** Of the bare server's answers a second. */
  readonly share: number
  readonly perSecond: number
  readonly microseconds: number
  readonly bareMicroseconds: number
  readonly p50: number
  readonly p99: number
  readonly p99Multiple: number
  readonly mebibytes: number
  /** How many times as many answers as commits that are made one by one. Null where no answer promises a commit. */
  readonly singleCommitsMultiple: number | null
}

export function figuresOf({ bare, alibi, singleCommits, mebibytes }: Rounds): Figures {
  const [own, base] = [medians(alibi), medians(bare)]
  const { perSecond, microseconds, p50, p99 } = own
  return {
    share: perSecond / base.perSecond,
    perSecond,
    microseconds,
    bareMicroseconds: base.microseconds,
    p50,
    p99,
    p99Multiple: p99 / base.p99,
    mebibytes,
    singleCommitsMultiple: singleCommits.length > 0 ? perSecond / median(singleCommits) : null,
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
