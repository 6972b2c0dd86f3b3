import { Elysia, t } from 'elysia'
import { requirePremium } from '../../../application/access/check-premium.ts'
import { pickReason } from '../../../application/access/pick-reason.ts'
import type { Email } from '../../../domain/email.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, matchLanguage } from '../../../domain/language.ts'
import { ENDPOINTS } from '../openapi/endpoints.ts'
import { EMAIL, EXAMPLE_EMAIL, LANG_INPUT, LANGUAGE, NEEDS_TOKEN } from '../openapi/fields.ts'
import { describeAnswers } from '../openapi/responses.ts'
import { authenticateRequest } from '../request/bearer.ts'
import type { HttpOptions } from '../request/options.ts'

const LANGUAGE_QUERY = t.Object({
  lang: t.Optional(t.String({ ...LANG_INPUT, default: DEFAULT_LANGUAGE })),
})

export function premiumRoutes({ ports }: HttpOptions) {
  /** Premium is looked up on every request, so that a token alone opens nothing. */
  async function premiumHolder(request: Request): Promise<Email> {
    const email = await authenticateRequest(ports, request)
    await requirePremium(ports, email)
    return email
  }

  return new Elysia()
    .get(
      '/premium-reasons',
      async ({ query, request }) => {
        const email = await premiumHolder(request)
        return { ...pickReason(ports, { email, language: matchLanguage(query.lang) }), email }
      },
      { query: LANGUAGE_QUERY, detail: REASON_DETAIL },
    )
    .get(
      '/i18n',
      async ({ query, request }) => {
        await premiumHolder(request)
        const { strings, language } = ports.content.in(matchLanguage(query.lang))
        return { strings, language, supportedLanguages: ports.content.languages }
      },
      { query: LANGUAGE_QUERY, detail: STRINGS_DETAIL },
    )
    .get('/languages', () => ({ languages: LANGUAGES, default: DEFAULT_LANGUAGE }), {
      detail: LANGUAGES_DETAIL,
    })
}

const REFUSALS = ['missing_token', 'invalid_token', 'premium_required'] as const

const REASON_DETAIL = {
  operationId: 'pickReason',
  summary: ENDPOINTS.premium['GET /premium-reasons'],
  description: '`language` says which one was used.',
  tags: ['premium'],
  security: NEEDS_TOKEN,
  responses: describeAnswers(
    {
      schema: t.Object({ reason: t.String({ minLength: 1 }), language: LANGUAGE, email: EMAIL }),
      example: { reason: 'My cat sat on the router.', language: 'en', email: EXAMPLE_EMAIL },
    },
    REFUSALS,
  ),
}

const STRINGS_DETAIL = {
  operationId: 'readStrings',
  summary: ENDPOINTS.premium['GET /i18n'],
  description: '`language` says which one was used.',
  tags: ['premium'],
  security: NEEDS_TOKEN,
  responses: describeAnswers(
    {
      schema: t.Object({
        strings: t.Object(
          { title: t.String(), subtitle: t.String(), generate: t.String() },
          { description: 'By key, these three among others.', additionalProperties: t.String() },
        ),
        language: LANGUAGE,
        supportedLanguages: t.Array(LANGUAGE, { minItems: 1, uniqueItems: true }),
      }),
      example: {
        strings: { title: 'Alibi', subtitle: 'Excuses', generate: 'Give me one' },
        language: 'en',
        supportedLanguages: LANGUAGES,
      },
    },
    REFUSALS,
  ),
}

const LANGUAGES_DETAIL = {
  operationId: 'listLanguages',
  summary: ENDPOINTS.premium['GET /languages'],
  tags: ['premium'],
  responses: describeAnswers(
    {
      schema: t.Object({
        languages: t.Array(LANGUAGE, { minItems: 1, uniqueItems: true }),
        default: t.Literal(DEFAULT_LANGUAGE),
      }),
      example: { languages: LANGUAGES, default: DEFAULT_LANGUAGE },
    },
    [],
  ),
}
