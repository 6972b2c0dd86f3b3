import { Elysia, t } from 'elysia'
import { requirePremium } from '../../application/check-premium.ts'
import { pickReason } from '../../application/pick-reason.ts'
import type { Email } from '../../domain/email.ts'
import { DEFAULT_LANGUAGE, LANGUAGES, matchLanguage } from '../../domain/language.ts'
import { describeAnswers, EMAIL, NEEDS_TOKEN } from './api-description.ts'
import { authenticateRequest } from './bearer.ts'
import { ENDPOINTS } from './endpoints.ts'
import type { HttpOptions } from './options.ts'

const LANGUAGE = t.String({ enum: [...LANGUAGES] })

const LANGUAGE_QUERY = t.Object({
  lang: t.Optional(
    t.String({
      description: 'Matched on its primary subtag, in any case; anything unknown is the default.',
      default: DEFAULT_LANGUAGE,
      examples: ['pt-BR'],
    }),
  ),
})

const REFUSALS = [
  'missing_token',
  'invalid_token',
  'premium_required',
  'storage',
  'too_many_requests',
] as const

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
      {
        query: LANGUAGE_QUERY,
        detail: {
          summary: ENDPOINTS.premium['GET /premium-reasons'],
          tags: ['premium'],
          security: NEEDS_TOKEN,
          responses: describeAnswers(
            t.Object({ reason: t.String(), language: LANGUAGE, email: EMAIL }),
            REFUSALS,
          ),
        },
      },
    )
    .get(
      '/i18n',
      async ({ query, request }) => {
        await premiumHolder(request)
        const { strings, language } = ports.content.in(matchLanguage(query.lang))
        return { strings, language, supportedLanguages: ports.content.languages }
      },
      {
        query: LANGUAGE_QUERY,
        detail: {
          summary: ENDPOINTS.premium['GET /i18n'],
          tags: ['premium'],
          security: NEEDS_TOKEN,
          responses: describeAnswers(
            t.Object({
              strings: t.Record(t.String(), t.String()),
              language: LANGUAGE,
              supportedLanguages: t.Array(LANGUAGE),
            }),
            REFUSALS,
          ),
        },
      },
    )
    .get('/languages', () => ({ languages: LANGUAGES, default: DEFAULT_LANGUAGE }), {
      detail: {
        summary: ENDPOINTS.premium['GET /languages'],
        tags: ['premium'],
        responses: describeAnswers(t.Object({ languages: t.Array(LANGUAGE), default: LANGUAGE }), [
          'too_many_requests',
        ]),
      },
    })
}
