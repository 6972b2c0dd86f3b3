/** What the service depends on. */
export type Outage = 'email' | 'payment' | 'storage'

/** A dependency did not do its part. Nothing is half done, and what is not refused for good may succeed later. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  /**
   * Whether the other side refused with an answer of its own, so that nothing is still under way there. False where it
   * timed out or the connection broke: then it may have acted.
   */
  readonly answered: boolean
  /** Whether this one thing alone is refused for good, as a mail to an address that its server does not know. */
  readonly isForGood: boolean
  /** Whether it stays so until an operator acts, as with a key that is no longer valid. */
  readonly needsOperator: boolean
  /** The setting that the operator has to look at first; null where it may pass by itself. */
  readonly setting: string | null
  /** Whether what has to be mended is what is sold, rather than the key. */
  readonly isPriceUnusable: boolean

  constructor(
    readonly outage: Outage,
    {
      cause,
      answered = false,
      isForGood = false,
      setting = null,
      isPriceUnusable = false,
    }: {
      cause: unknown
      answered?: boolean
      isForGood?: boolean
      setting?: string | null
      isPriceUnusable?: boolean
    },
  ) {
    super(`${outage} unavailable`, { cause })
    this.answered = answered
    this.isForGood = isForGood
    this.needsOperator = setting !== null
    this.setting = setting
    this.isPriceUnusable = isPriceUnusable
  }
}
