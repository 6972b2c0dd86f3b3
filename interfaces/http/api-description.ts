import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import { type AnyElysia, type DocumentDecoration, type TSchema, t } from 'elysia'
import type { Outage } from '../../application/unavailable.ts'
import type { Refusal } from '../../domain/errors.ts'
import { ANSWERS, type Answer, FAULT_ANSWER, OUTAGE_ANSWERS, REQUEST_ANSWERS } from './errors.ts'
import type { RequestRefusal } from './request-refused.ts'

const OPENAPI_VERSION = '3.1.0'

const ERROR_SCHEMA = { $ref: '#/components/schemas/Error' }

/** Reads a JSON body, and can therefore refuse it. */
export const BODY_REFUSALS = [
  'invalid_json',
  'invalid_request',
  'request_too_large',
  'unsupported_media_type',
] as const

export const EMAIL = t.String({
  description: 'An ordinary address. Every answer carries it normalised.',
  examples: ['ada@example.com'],
})
export const CODE = t.String({
  description: 'The six digits of the one-time code.',
  examples: ['012345'],
})
export const TOKEN = t.String({ description: 'A bearer token (JWT).' })
export const SUCCESS = t.Literal(true)
export const MESSAGE = t.String({ description: 'For people.' })

/** Says of a route that it needs a token. */
export const NEEDS_TOKEN = [{ bearer: [] }]

type Reason = Refusal | RequestRefusal | Outage

/**
 * What a route answers, for the document only: `ok` with status 200, and every error with its status and words. Elysia
 * is not given it as a response schema, which would check, and change, what is sent.
 */
export function describeAnswers(
  ok: TSchema,
  reasons: readonly Reason[],
): NonNullable<DocumentDecoration['responses']> {
  const answers = [...reasons.map(answerTo), FAULT_ANSWER]
  const statuses = [...new Set(answers.map(({ status }) => status))].sort()
  return {
    200: { description: 'Done', content: { 'application/json': { schema: { ...ok } } } },
    ...Object.fromEntries(
      statuses.map((status) => [
        status,
        describeErrors(answers.filter((answer) => answer.status === status)),
      ]),
    ),
  }
}

function answerTo(reason: Reason): Answer {
  return { ...ANSWERS, ...REQUEST_ANSWERS, ...OUTAGE_ANSWERS }[reason]
}

function describeErrors(answers: readonly Answer[]) {
  return {
    description: [...new Set(answers.map(({ error }) => error))].join(' · '),
    content: {
      'application/json': {
        schema: ERROR_SCHEMA,
        examples: Object.fromEntries(
          answers.map(({ error, message }) => [
            message ?? error,
            { value: message === undefined ? { error } : { error, message } },
          ]),
        ),
      },
    },
  }
}

/** The OpenAPI document of the routes. It names no server, so it is true wherever it is served from. */
export function describeApi(app: AnyElysia, version: string): object {
  const { paths } = toOpenAPISchema(app, { methods: ['head', 'options'] }, [], {}, OPENAPI_VERSION)
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: 'Alibi',
      version,
      description:
        'Sells premium access, authenticates by one-time codes sent by email, and serves excuses and ' +
        'translations to premium users. Every answer carries X-Request-Id; every limited one ' +
        'RateLimit-Policy and RateLimit, and Retry-After with status 429.',
    },
    tags: [
      { name: 'auth', description: 'Prove an email address; trade a code for a token.' },
      { name: 'checkout', description: 'Buy premium access.' },
      { name: 'premium', description: 'What premium users read.' },
      { name: 'payment', description: 'Where the payment provider sends buyers back to.' },
      { name: 'webhook', description: 'For the payment provider.' },
      { name: 'status', description: 'For operators.' },
    ],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: {
        Error: {
          type: 'object',
          required: ['error'],
          properties: { error: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  }
}
