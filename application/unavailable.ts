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
  /** Whether it stays so until an operator acts, as with a key that is no longer valid. */
  readonly needsOperator: boolean
  /** Whether this one thing alone is refused for good, as a mail to an address that its server does not know. */
  readonly isForGood: boolean
  /** Whether what has to be mended is what is sold, rather than the key. */
  readonly isPriceUnusable: boolean
  /** The setting to look at first where the operator has to act; null for the usual one of what is out. */
  readonly setting: string | null

  constructor(
    readonly outage: Outage,
    {
      cause,
      answered = false,
      needsOperator = false,
      isForGood = false,
      isPriceUnusable = false,
      setting = null,
    }: {
      cause: unknown
      answered?: boolean
      needsOperator?: boolean
      isForGood?: boolean
      isPriceUnusable?: boolean
      setting?: string | null
    },
  ) {
    super(`${outage} unavailable`, { cause })
    this.answered = answered
    this.needsOperator = needsOperator || isPriceUnusable
    this.isForGood = isForGood
    this.isPriceUnusable = isPriceUnusable
    this.setting = setting
  }
}
