import { Elysia, t } from 'elysia'
import { DEFAULT_LANGUAGE } from '../../../domain/language.ts'
import { LANG_INPUT, reasonChoiceInput } from '../openapi/fields.ts'
import { ROUTES } from '../paths.ts'
import { authenticatePremium } from '../request/bearer.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { ALL_LANGUAGES, premiumAnswers } from './from-memory.ts'

const LANG = t.Optional(t.String({ ...LANG_INPUT, default: DEFAULT_LANGUAGE }))

const LANGUAGE_QUERY = t.Object({ lang: LANG })

export function premiumRoutes({ ports }: HttpOptions) {
  const answers = premiumAnswers(ports)
  return new Elysia()
    .get(
      ROUTES.pickReason.path,
      async ({ request }) => {
        const exchange = exchangeOf(request)
        const email = await authenticatePremium(ports, exchange)
        return answers.pickReason(email, exchange.target.search)
      },
      { query: t.Object({ lang: LANG, ...reasonChoiceInput(ports.content.tagValues) }) },
    )
    .get(
      ROUTES.readStrings.path,
      async ({ query, request }) => {
        await authenticatePremium(ports, exchangeOf(request))
        return answers.readStrings(query.lang)
      },
      { query: LANGUAGE_QUERY },
    )
    .get(ROUTES.listLanguages.path, () => ALL_LANGUAGES)
}
