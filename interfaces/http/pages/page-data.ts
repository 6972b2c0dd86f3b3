import type { StringKey } from '../../../application/content/strings.ts'
import type { Language } from '../../../domain/language.ts'
import type { Price } from '../../../domain/order.ts'

/** The cookie in which the app page's script keeps the language that a visitor has chosen. */
export const LANGUAGE_COOKIE = 'language'

/**
 * How long the page of a payment that is on its way waits before it asks again. Together with four more requests these
 * stay within ten in fifteen minutes: the checkout, the visit itself, the reload that shows the new state, and one by
 * hand.
 */
export const REFRESH_WAITS_SECONDS = [2, 4, 8, 20, 45, 120]

/** Words by key, plural forms under the key with their category behind it. */
export type PageWords = Readonly<Record<string, string>>

/** What the app page hands to its script. */
export type AppPageData = {
  readonly words: PageWords
  /** Where the words of each language to choose from are. */
  readonly wordFiles: Readonly<Partial<Record<Language, string>>>
  /** Null until the provider has answered. */
  readonly price: Price | null
  /** The message for an error of the API, by its `error`. */
  readonly problems: Readonly<Record<string, StringKey>>
  readonly otpLifetimeMs: number
  readonly verificationLifetimeMs: number
}
