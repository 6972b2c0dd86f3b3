import { t } from 'elysia'
import { DEFAULT_LANGUAGE, LANGUAGES } from '../../../domain/language.ts'
import { describeOperation } from './endpoints.ts'
import { EMAIL, EXAMPLE_EMAIL, LANGUAGE, NEEDS_TOKEN } from './fields.ts'
import { describeAnswers } from './responses.ts'

const REFUSALS = ['missing_token', 'invalid_token', 'premium_required'] as const

export const PICK_REASON = describeOperation('pickReason', {
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
})

export const READ_STRINGS = describeOperation('readStrings', {
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
})

export const LIST_LANGUAGES = describeOperation('listLanguages', {
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
})
