import { Elysia, t } from 'elysia'
import { DEFAULT_LANGUAGE } from '../../../domain/language.ts'
import { LANG_INPUT, reasonChoiceInput } from '../openapi/fields.ts'
import { ROUTES } from '../paths.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { ALL_LANGUAGES, premiumAnswers } from './answers.ts'

const LANG = t.Optional(t.String({ ...LANG_INPUT, default: DEFAULT_LANGUAGE }))

const LANGUAGE_QUERY = t.Object({ lang: LANG })

export function premiumRoutes({ ports }: HttpOptions) {
  const answers = premiumAnswers(ports)
  return new Elysia()
    .get(ROUTES.pickReason.path, ({ request }) => answers.pickReason(exchangeOf(request)), {
      query: t.Object({ lang: LANG, ...reasonChoiceInput(ports.content.tagValues) }),
    })
    .get(
      ROUTES.readStrings.path,
      ({ query, request }) => answers.readStrings(exchangeOf(request), query.lang),
      { query: LANGUAGE_QUERY },
    )
    .get(ROUTES.listLanguages.path, () => ALL_LANGUAGES)
}
