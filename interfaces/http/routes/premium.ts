import { Elysia, t } from 'elysia'
import { DEFAULT_LANGUAGE } from '../../../domain/language.ts'
import { LANG_INPUT } from '../openapi/fields.ts'
import { ROUTES } from '../paths.ts'
import { exchangeOf } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { ALL_LANGUAGES, premiumAnswers } from './answers.ts'

const LANGUAGE_QUERY = t.Object({
  lang: t.Optional(t.String({ ...LANG_INPUT, default: DEFAULT_LANGUAGE })),
})

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
