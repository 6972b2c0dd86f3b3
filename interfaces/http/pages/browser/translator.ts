import type { PluralKey, StringKey } from '../../../../application/content/strings.ts'
import { type Language, matchLanguage, textDirection } from '../../../../domain/language.ts'
import { formatAmount } from '../../../../domain/money.ts'
import type { Price } from '../../../../domain/order.ts'
import { LANGUAGE_COOKIE, type PageWords } from '../page-data.ts'
import { formatWait } from '../wait-words.ts'
import { element } from './dom.ts'

/** The text of an element. It is shown again, in the new language, when the language changes. */
type Saying = (() => string) | null

const COOKIE_LIFETIME_SECONDS = 365 * 86_400

/** The language of the page, and every string on it. */
export function translator(initialWords: PageWords) {
  let language = matchLanguage(document.documentElement.lang)
  let words = initialWords
  const sayings = new Map<HTMLElement, Saying>()

  function word(key: StringKey, values: Readonly<Record<string, string>> = {}): string {
    return fill(words[key] ?? '', values)
  }

  function say(where: HTMLElement, saying: Saying): void {
    sayings.set(where, saying)
    show(where, saying)
  }

  /** Everything on the page at once. */
  function change(next: Language, nextWords: PageWords): void {
    language = next
    words = nextWords
    document.documentElement.lang = language
    document.documentElement.dir = textDirection(language)
    document.title = `${word('title')} · ${word('subtitle')}`
    for (const one of document.querySelectorAll<HTMLElement>('[data-word]')) {
      one.textContent = words[one.dataset['word'] ?? ''] ?? ''
    }
    for (const field of document.querySelectorAll<HTMLInputElement>('[data-word-placeholder]')) {
      field.placeholder = words[field.dataset['wordPlaceholder'] ?? ''] ?? ''
    }
    for (const [where, saying] of sayings) show(where, saying)
    remember(language)
  }

  return {
    language: () => language,
    word,
    say,
    change,
    /** Shows the text of the element again, because time has passed. */
    refresh(where: HTMLElement) {
      show(where, sayings.get(where) ?? null)
    },
    counted(key: PluralKey, count: number): string {
      const form = new Intl.PluralRules(language).select(count)
      return fill(words[`${key}_${form}`] ?? words[`${key}_other`] ?? '', {
        count: new Intl.NumberFormat(`${language}-u-nu-latn`).format(count),
      })
    },
    price: (price: Price) => formatAmount(price, language),
    wait: (seconds: number) => formatWait(seconds, language),
  }
}

/** Assistive technology reads out every change, so that a text that stays the same is not set again. */
function show(where: HTMLElement, saying: Saying): void {
  const text = saying?.() ?? ''
  if (where.textContent !== text) where.textContent = text
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place)
}

/** In a cookie, for the pages that the service makes, and in the address, for a browser that takes no cookies. */
function remember(language: Language): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${COOKIE_LIFETIME_SECONDS}; SameSite=Lax${secure}`
  history.replaceState(null, '', `?lang=${language}${location.hash}`)
}

/**
 * The menu of languages. `choose` loads and shows one, unless another was chosen meanwhile; when it fails, the old one
 * stays.
 */
export function onLanguageChosen(
  current: () => Language,
  choose: (next: Language, isLatest: () => boolean) => Promise<void>,
): void {
  const menu = element('language', HTMLSelectElement)
  let choices = 0
  menu.addEventListener('change', async () => {
    const choice = ++choices
    const isLatest = () => choice === choices
    await choose(matchLanguage(menu.value), isLatest)
    if (isLatest()) menu.value = current()
  })
}
