import type { StringKey } from '../../../application/content/strings.ts'
import type { Language } from '../../../domain/language.ts'
import type { Price } from '../../../domain/purchase.ts'

/** The cookie in which the app page's script keeps the language that a visitor has chosen. */
export const LANGUAGE_COOKIE = 'language'

/** Words by key, plural forms under the key with their category behind it. */
export type PageWords = Readonly<Record<string, string>>

/** What the app page tells its script. */
export type AppPageData = {
  readonly words: PageWords
  /** Where the words of each language to choose from are. */
  readonly wordFiles: Readonly<Partial<Record<Language, string>>>
  /** Null while the provider has not told it. */
  readonly price: Price | null
  /** What to say to an error of the API, by its `error`. */
  readonly problems: Readonly<Record<string, StringKey>>
  readonly otpLifetimeMs: number
  readonly verificationLifetimeMs: number
}
