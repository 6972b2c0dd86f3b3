import { reasonPicker } from '../../../application/access/pick-reason.ts'
import type { Strings } from '../../../application/content/strings.ts'
import type { Ports } from '../../../application/ports.ts'
import { type Email, findEmail } from '../../../domain/email.ts'
import {
  DEFAULT_LANGUAGE,
  LANGUAGES,
  type Language,
  matchLanguage,
} from '../../../domain/language.ts'
import { hasPremium } from '../../../domain/premium-grant.ts'
import { ROUTES } from '../paths.ts'
import { recallPremium } from '../request/bearer.ts'
import type { Exchange } from '../request/exchange.ts'
import { readReasonQuery } from '../request/reason-query.ts'
import { constantJson } from '../response/json-text.ts'

/** An answer for which all is in memory. */
type KnownAnswer = {
  /** Whom the request is counted for; null for the client. */
  readonly email: Email | null
  /** Makes the value of the answer in JSON, once the request is counted. Throws `invalid_request`. */
  readonly make: () => object
}

// Why: docs/decisions.md#most-requests-pass-the-router-by
/** Finds answers to the most frequent requests. Null for what the routes have to answer, as all that is unusual. */
export function answersFromMemory(ports: Ports): (exchange: Exchange) => KnownAnswer | null {
  const { pickReason, readStrings } = premiumAnswers(ports)
  const byPath = new Map<string, (exchange: Exchange) => KnownAnswer | null>([
    [
      ROUTES.pickReason.path,
      (exchange) => {
        const email = recallPremium(ports, exchange)
        return email && { email, make: () => pickReason(email, exchange.target.search) }
      },
    ],
    [
      ROUTES.readStrings.path,
      (exchange) => {
        const lang = plainParameter(exchange, '?lang=')
        const email = lang === null ? null : recallPremium(ports, exchange)
        return email && { email, make: () => readStrings(lang ?? undefined) }
      },
    ],
    [
      ROUTES.checkPremium.path,
      (exchange) => {
        const email = findEmail(plainParameter(exchange, '?email='))
        const facts = email && ports.access.recall?.(email)
        return facts
          ? { email: null, make: () => ({ email, hasPremium: hasPremium(facts.grants) }) }
          : null
      },
    ],
    [ROUTES.listLanguages.path, () => ({ email: null, make: () => ALL_LANGUAGES })],
    [ROUTES.checkHealth.path, () => ({ email: null, make: () => ALIVE })],
  ])

  return (exchange) => {
    const { request, target } = exchange
    return request.method === 'GET' ? (byPath.get(target.path)?.(exchange) ?? null) : null
  }
}

/** Of `/health`. */
export const ALIVE = constantJson({ status: 'alive' })

/** Of `/languages`. */
export const ALL_LANGUAGES = constantJson({ languages: LANGUAGES, default: DEFAULT_LANGUAGE })

/** What holders of premium get. */
export function premiumAnswers(ports: Ports) {
  const pick = reasonPicker(ports)
  const known = new Map<Language, StringsAnswer>()
  return {
    /** As the query asks for it. Throws `invalid_request`. */
    pickReason(email: Email, search: string) {
      const { lang, choice } = readReasonQuery(search, ports.content.tagValues)
      const { reason, language, widened } = pick({ email, language: matchLanguage(lang), choice })
      return { reason, language, email, ...(widened.length > 0 ? { widened } : {}) }
    },
    /** In the language of a tag. */
    readStrings(tag: string | undefined): StringsAnswer {
      const { language, strings } = ports.content.in(matchLanguage(tag))
      const supportedLanguages = ports.content.languages
      const make = () => constantJson({ strings, language, supportedLanguages })
      return known.getOrInsertComputed(language, make)
    },
  }
}

type StringsAnswer = {
  readonly strings: Strings
  readonly language: Language
  readonly supportedLanguages: readonly Language[]
}

/** What no client escapes, and the @ of an address, which most do. A plus sign would be a space. */
const PLAIN_VALUE = /^(?:[\w.@-]|%40)*$/

/** What the query has behind `beginning`, if it is plain. Undefined for an empty query, null for any other. */
function plainParameter(
  { target: { search } }: Exchange,
  beginning: string,
): string | undefined | null {
  if (search === '') return undefined
  if (!search.startsWith(beginning)) return null
  const value = search.slice(beginning.length)
  return PLAIN_VALUE.test(value) ? value.replaceAll('%40', '@') : null
}
