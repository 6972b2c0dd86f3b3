/** A running service, and whose requests it may get. */
export type Stage = {
  readonly url: string
  /** The path of its database, in which readers 0 to `addresses` - 1 have paid. */
  readonly database: string
  readonly addresses: number
  readonly tokens: number
  /** So many numbers that no other request of this run has: the first one. */
  takeNumbers(amount: number): number
}

type Ask = (stage: Stage, amount: number) => Promise<readonly string[]>

export type Scenario = {
  readonly name: string
  /** What it is, in a few words for the table. */
  readonly about: string
  readonly tokens: number
  /** Whether it leaves traces in the database, so that it works on a copy. */
  readonly writes: boolean
  /** Whether the same requests may be sent again and again: otherwise each is sent once. */
  readonly isRepeated: boolean
  /** What the body of every right answer has. */
  readonly expected: string
  /** The requests as they go over the wire. Those that are repeated decide themselves how many they are. */
  readonly requests: Ask
  /** Throws where the database does not have what so many answers have promised since `begin`. */
  readonly promises?: {
    readonly begin: (stage: Stage) => number
    readonly check: (stage: Stage, begun: number, answers: number) => void
  }
}
