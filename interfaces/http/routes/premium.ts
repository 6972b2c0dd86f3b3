import { Elysia, t } from 'elysia'
import { pickReason } from '../../../application/access/pick-reason.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, matchLanguage } from '../../../domain/language.ts'
import { LANG_INPUT } from '../openapi/fields.ts'
import { ROUTES } from '../paths.ts'
import { authenticatePremium } from '../request/bearer.ts'
import type { HttpOptions } from '../request/options.ts'

const LANGUAGE_QUERY = t.Object({
  lang: t.Optional(t.String({ ...LANG_INPUT, default: DEFAULT_LANGUAGE })),
})

export function premiumRoutes({ ports }: HttpOptions) {
  return new Elysia()
    .get(
      ROUTES.pickReason.path,
      async ({ query, request }) => {
        const email = await authenticatePremium(ports, request)
        return { ...pickReason(ports, { email, language: matchLanguage(query.lang) }), email }
      },
      { query: LANGUAGE_QUERY },
    )
    .get(
      ROUTES.readStrings.path,
      async ({ query, request }) => {
        await authenticatePremium(ports, request)
        const { strings, language } = ports.content.in(matchLanguage(query.lang))
        return { strings, language, supportedLanguages: ports.content.languages }
      },
      { query: LANGUAGE_QUERY },
    )
    .get(ROUTES.listLanguages.path, () => ({ languages: LANGUAGES, default: DEFAULT_LANGUAGE }))
}
