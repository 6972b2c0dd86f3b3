import type { Strings } from '../../../../application/content/strings.ts'
import type { LanguageContent } from '../../../../application/ports.ts'
import type { Language } from '../../../../domain/language.ts'
import { assetPath } from '../assets.ts'
import { type Html, html } from '../html.ts'
import { type AppAddresses, alternatesOf } from './addresses.ts'

/** Of `assets/share.png`, in pixels, as those who show shared links want it. */
const SHARE_PICTURE = { width: 1200, height: 630 }

type AppHead = {
  readonly content: LanguageContent
  readonly publicUrl: string
  readonly addresses: AppAddresses
  readonly address: string
}

/** What search engines, and those with whom the page is shared, get to know of it (Open Graph protocol, ogp.me). */
export function appHead({ content, publicUrl, addresses, address }: AppHead): Html {
  const { language, strings } = content
  const title = `${strings.title} · ${strings.subtitle}`
  const description = describe(language, strings)
  const others = [...addresses.byLanguage.keys()].filter((one) => one !== language)
  return html`<meta name="description" content="${description}">
<link rel="canonical" href="${address}">
${alternatesOf(addresses).map(
  (one) => html`<link rel="alternate" hreflang="${one.hreflang}" href="${one.address}">\n`,
)}<meta property="og:type" content="website">
<meta property="og:site_name" content="${strings.title}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${address}">
<meta property="og:image" content="${publicUrl}${assetPath('share.png')}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${SHARE_PICTURE.width}">
<meta property="og:image:height" content="${SHARE_PICTURE.height}">
<meta property="og:image:alt" content="${title}">
<meta property="og:locale" content="${LOCALES[language]}">
${others.map((one) => html`<meta property="og:locale:alternate" content="${LOCALES[one]}">\n`)}<meta name="twitter:card" content="summary_large_image">
`
}

/** What a buyer gets, and how it is paid for: the page's own words, so that an operator's product describes itself. */
function describe(language: Language, { pitch, buy_hint }: Strings): string {
  const between = language === 'ja' || language === 'zh' ? '' : ' '
  return `${pitch}${between}${buy_hint}`
}

/** With the country whose variety of the language is written, as the Open Graph protocol wants it. */
const LOCALES: Readonly<Record<Language, string>> = {
  en: 'en_GB',
  fr: 'fr_FR',
  es: 'es_ES',
  de: 'de_DE',
  it: 'it_IT',
  pt: 'pt_BR',
  nl: 'nl_NL',
  pl: 'pl_PL',
  ru: 'ru_RU',
  ja: 'ja_JP',
  zh: 'zh_CN',
  // Standard Arabic has no country: this is the name that readers of the protocol have for it.
  ar: 'ar_AR',
  hi: 'hi_IN',
  tr: 'tr_TR',
  sv: 'sv_SE',
}
