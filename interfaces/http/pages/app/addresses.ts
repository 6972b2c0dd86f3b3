import type { Language } from '../../../../domain/language.ts'
import { ROUTES } from '../../paths.ts'

/** The public, absolute addresses of the app page. */
export type AppAddresses = {
  /** The one that speaks the visitor's language, whichever that is. */
  readonly negotiated: string
  /** Those that speak one language. */
  readonly byLanguage: ReadonlyMap<Language, string>
}

export function appAddresses(publicUrl: string, languages: readonly Language[]): AppAddresses {
  const negotiated = publicUrl + ROUTES.showApp.path
  return {
    negotiated,
    byLanguage: new Map(languages.map((language) => [language, `${negotiated}?lang=${language}`])),
  }
}

/** Each address as search engines know it: `hreflang` says for whom it is. */
export function alternatesOf({ negotiated, byLanguage }: AppAddresses): readonly Alternate[] {
  return [
    ...Array.from(byLanguage, ([language, address]) => ({ hreflang: language, address })),
    { hreflang: 'x-default', address: negotiated },
  ]
}

type Alternate = { readonly hreflang: Language | 'x-default'; readonly address: string }
