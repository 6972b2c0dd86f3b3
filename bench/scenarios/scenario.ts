import type { BenchDatabase } from '../seed/bench-database.ts'

/** A running service, and who is known to it. */
export type Stage = {
  readonly url: string
  /** In which the readers of the numbers below `addresses` have paid. */
  readonly database: BenchDatabase
  readonly addresses: number
  readonly tokens: number
  /** The first of so many numbers that nobody else gets. */
  takeNumbers(amount: number): number
}

export type Scenario = {
  readonly name: string
  /** What it is, in a few words for the table. */
  readonly about: string
  readonly tokens: number
  /** Whether the short form does without it. */
  readonly isLong?: boolean
  /** Whether it leaves traces in the database, so that it works on a copy. */
  readonly writes: boolean
  /** Whether the same requests may be sent again and again: otherwise each is sent once. */
  readonly isRepeated: boolean
  /** What the body of every right answer has. */
  readonly expected: string
  /** The requests as they go over the wire. Those that are repeated decide themselves how many they are. */
  readonly requests: (stage: Stage, amount: number) => Promise<readonly string[]>
  /** How many rows the answers have made durable, where each makes one. They are compared with single commits. */
  readonly countStored?: (stage: Stage) => Promise<number>
}
