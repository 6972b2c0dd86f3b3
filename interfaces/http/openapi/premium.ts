import { t } from 'elysia'
import { WIDENING_ORDER } from '../../../domain/excuse.ts'
import { DEFAULT_LANGUAGE, LANGUAGES } from '../../../domain/language.ts'
import { EMAIL, EXAMPLE_EMAIL, LANGUAGE, NEEDS_TOKEN } from './fields.ts'
import { describeAnswers } from './responses.ts'

const REFUSALS = ['missing_token', 'invalid_token', 'premium_required'] as const

/** With an excuse that anybody may read as its example. */
export function premiumOperations({ sample }: { sample: string }) {
  return {
    pickReason: {
      description:
        'No excuse comes again before you had all that match. Where nothing matches all that you ask for, `length`, then ' +
        '`tone`, then `to`, then `occasion` is let go, and `widened` says which; `without` never is. ' +
        '`language` says which one was used.',
      security: NEEDS_TOKEN,
      responses: describeAnswers(
        {
          schema: t.Object({
            reason: t.String({ minLength: 1 }),
            language: LANGUAGE,
            email: EMAIL,
            widened: t.Optional(
              t.Array(t.String({ enum: [...WIDENING_ORDER] }), {
                description: 'What was let go, in this order; not there where everything matches.',
                minItems: 1,
                uniqueItems: true,
              }),
            ),
          }),
          example: { reason: sample, language: 'en', email: EXAMPLE_EMAIL },
        },
        [...REFUSALS, 'invalid_request'],
      ),
    },
    readStrings: {
      description: '`language` says which one was used.',
      security: NEEDS_TOKEN,
      responses: describeAnswers(
        {
          schema: t.Object({
            strings: t.Object(
              { title: t.String(), subtitle: t.String(), generate: t.String() },
              {
                description: 'By key, these three among others.',
                additionalProperties: t.String(),
              },
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
    },
    listLanguages: {
      description: 'What `lang` may ask for, and what is used for any other.',
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
    },
  }
}
