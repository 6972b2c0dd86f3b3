import { checkPremium } from '../../../application/access/check-premium.ts'
import { reasonPicker } from '../../../application/access/pick-reason.ts'
import type { Strings } from '../../../application/content/strings.ts'
import { whenKnown } from '../../../application/maybe-promise.ts'
import type { Content, LanguageContent, Ports } from '../../../application/ports.ts'
import { parseEmail } from '../../../domain/email.ts'
import {
  DEFAULT_LANGUAGE,
  LANGUAGES,
  type Language,
  matchLanguage,
} from '../../../domain/language.ts'
import { authenticatePremium } from '../request/bearer.ts'
import type { Exchange } from '../request/exchange.ts'
import { readReasonQuery } from '../request/reason-query.ts'
import { constantJson } from '../response/json-text.ts'

// What routes answer that are also answered without the router.

/** Of `/health`. */
export const ALIVE = constantJson({ status: 'alive' })

/** Of `/languages`. */
export const ALL_LANGUAGES = constantJson({ languages: LANGUAGES, default: DEFAULT_LANGUAGE })

/** Tells anybody whether an address, as a client sends it, has premium. */
export function premiumCheck(ports: Ports) {
  return (address: string) => {
    const email = parseEmail(address)
    return whenKnown(checkPremium(ports, email), (hasPremium) => ({ email, hasPremium }))
  }
}

/** What holders of premium get. */
export function premiumAnswers(ports: Ports) {
  const pick = reasonPicker(ports)
  const stringsOf = stringsAnswers(ports.content)
  return {
    /** As the query of the request asks for it, which is read once the reader is known. */
    pickReason: (exchange: Exchange) =>
      whenKnown(authenticatePremium(ports, exchange), (email) => {
        const { lang, choice } = readReasonQuery(exchange.target.search, ports.content.tagValues)
        const { reason, language, widened } = pick({ email, language: matchLanguage(lang), choice })
        return { reason, language, email, ...(widened.length > 0 ? { widened } : {}) }
      }),
    /** In the language of a tag. */
    readStrings: (exchange: Exchange, tag: string | undefined) =>
      whenKnown(authenticatePremium(ports, exchange), () =>
        stringsOf(ports.content.in(matchLanguage(tag))),
      ),
  }
}

type StringsAnswer = {
  readonly strings: Strings
  readonly language: Language
  readonly supportedLanguages: readonly Language[]
}

/** The answer for each language, made when it is first asked for. */
function stringsAnswers(content: Content): (content: LanguageContent) => StringsAnswer {
  const answers = new Map<Language, StringsAnswer>()
  return ({ strings, language }) => {
    const known = answers.get(language)
    if (known) return known
    const answer = constantJson({ strings, language, supportedLanguages: content.languages })
    answers.set(language, answer)
    return answer
  }
}
