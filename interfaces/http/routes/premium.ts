import { Elysia, t } from 'elysia'
import { pickReason } from '../../../application/access/pick-reason.ts'
import type { Strings } from '../../../application/content/strings.ts'
import type { Content, LanguageContent } from '../../../application/ports.ts'
import { whenKnown } from '../../../application/prompt.ts'
import {
  DEFAULT_LANGUAGE,
  LANGUAGES,
  type Language,
  matchLanguage,
} from '../../../domain/language.ts'
import { LANG_INPUT } from '../openapi/fields.ts'
import { ROUTES } from '../paths.ts'
import { authenticatePremium } from '../request/bearer.ts'
import { type Exchange, exchangeOf } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { constantJson } from '../response/json-text.ts'

const LANGUAGE_QUERY = t.Object({
  lang: t.Optional(t.String({ ...LANG_INPUT, default: DEFAULT_LANGUAGE })),
})

/** What `/languages` answers. */
export const ALL_LANGUAGES = constantJson({ languages: LANGUAGES, default: DEFAULT_LANGUAGE })

export function premiumRoutes({ ports }: HttpOptions) {
  const answers = premiumAnswers(ports)
  return new Elysia()
    .get(
      ROUTES.pickReason.path,
      ({ query, request }) => answers.pickReason(exchangeOf(request), query.lang),
      { query: LANGUAGE_QUERY },
    )
    .get(
      ROUTES.readStrings.path,
      ({ query, request }) => answers.readStrings(exchangeOf(request), query.lang),
      { query: LANGUAGE_QUERY },
    )
    .get(ROUTES.listLanguages.path, () => ALL_LANGUAGES)
}

/** What holders of premium get, in the language of a tag. */
export function premiumAnswers(ports: HttpOptions['ports']) {
  const stringsOf = stringsAnswers(ports.content)
  return {
    pickReason: (exchange: Exchange, tag: string | undefined) =>
      whenKnown(authenticatePremium(ports, exchange), (email) => {
        const { reason, language } = pickReason(ports, { email, language: matchLanguage(tag) })
        return { reason, language, email }
      }),
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
