import { type DocumentDecoration, type TSchema, t } from 'elysia'
import type { Outage } from '../../../application/unavailable.ts'
import type { Refusal } from '../../../domain/errors.ts'
import type { RequestRefusal } from '../request/refusal.ts'
import {
  ANSWERS,
  type Answer,
  FAULT_ANSWER,
  OUTAGE_ANSWERS,
  REQUEST_ANSWERS,
} from '../response/errors.ts'
import type { Links } from './endpoints.ts'
import { type HeaderName, headerReferences, optionalHeaders } from './headers.ts'

/** Why a request gets an error. */
type Reason = Refusal | RequestRefusal | Outage | 'fault'

export type Responses = NonNullable<DocumentDecoration['responses']>

/** The refusals of an operation that reads a JSON body. */
export const BODY_REFUSALS = [
  'invalid_json',
  'invalid_request',
  'unsupported_media_type',
  'request_too_large',
] as const satisfies readonly Reason[]

/** The errors of every operation: a start takes its time. */
export const COMMON_ERRORS = ['fault', 'storage'] as const satisfies readonly Reason[]

const ALL_ANSWERS: Readonly<Record<Reason, Answer>> = {
  ...REQUEST_ANSWERS,
  ...ANSWERS,
  ...OUTAGE_ANSWERS,
  fault: FAULT_ANSWER,
}

const FAULT_MESSAGE = 'Request 01a1ffaf-d01d-760c-b2a2-95c942773c10'

/**
 * What an operation answers, for the document only: `ok` with status 200, and every error with its status and words.
 * Elysia does not get it as a response schema: with one it would check, and change, the answers.
 */
export function describeAnswers(
  ok: { schema: TSchema; example: object; links?: Links },
  reasons: readonly Reason[],
): Responses {
  const { schema, example, links } = ok
  return {
    ...describeErrors([...reasons, ...COMMON_ERRORS]),
    200: {
      description: 'Done',
      content: { 'application/json': { schema: { ...schema }, example } },
      ...(links ? { links } : {}),
    },
  }
}

/** An error answer for each status that the reasons have. */
export function describeErrors(reasons: readonly Reason[]): Record<string, ErrorResponse> {
  const byStatus = Map.groupBy(reasons, (reason) => ALL_ANSWERS[reason].status)
  return Object.fromEntries(
    Array.from(byStatus, ([status, same]) => [status, describeError(status, same)]),
  )
}

/** Every error body, by the name that the error answers call it. */
export function errorSchemas(): Record<string, object> {
  const reasons = Object.keys(ALL_ANSWERS) as Reason[]
  return {
    Error: { description: 'Any of the errors.', ...anyOf(reasons) },
    ...Object.fromEntries(reasons.map((reason) => [errorName(reason), errorSchema(reason)])),
  }
}

export type ErrorResponse = ReturnType<typeof describeError>

function describeError(status: number, reasons: readonly Reason[]) {
  return {
    description: [...new Set(reasons.map((reason) => ALL_ANSWERS[reason].error))]
      .sort()
      .join(' · '),
    headers: errorHeaders(status, reasons),
    content: {
      'application/json': {
        schema: anyOf(reasons),
        examples: Object.fromEntries(
          reasons.map((reason) => [errorName(reason), { value: errorExample(reason) }]),
        ),
      },
    },
  }
}

function anyOf(reasons: readonly Reason[]) {
  const names = [...new Set(reasons.map(errorName))].sort()
  const references = names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const [first, ...others] = references
  return first && others.length === 0 ? first : { anyOf: references }
}

/** Reasons with the same answer have the same name. */
function errorName(reason: Reason): string {
  const [words = ''] = ALL_ANSWERS[reason].error.split(',')
  const name = words.replace(/(?:^| )(\w)(\w*)/g, (_, first, rest) => first.toUpperCase() + rest)
  // Only its message differs from the refusal without `_to_log_in`.
  return reason.endsWith('_to_log_in') ? `${name}ToLogIn` : name
}

function errorSchema(reason: Reason): object {
  const { error, message } = ALL_ANSWERS[reason]
  if (message !== undefined) {
    return t.Object({ error: t.Literal(error), message: t.Literal(message) })
  }
  // A fault names the id of the request, where the request has got one.
  return reason === 'fault'
    ? t.Object({
        error: t.Literal(error),
        message: t.Optional(t.String({ pattern: '^Request [0-9a-f-]{36}$' })),
      })
    : t.Object({ error: t.Literal(error) })
}

function errorExample(reason: Reason): object {
  const { error, message = reason === 'fault' ? FAULT_MESSAGE : undefined } = ALL_ANSWERS[reason]
  return message === undefined ? { error } : { error, message }
}

/** The headers that the error has in every operation. */
function errorHeaders(status: number, reasons: readonly Reason[]) {
  // When it makes sense to ask again is computed for each refusal.
  if (status === 429) return headerReferences(['Retry-After'])
  const carriers = (name: HeaderName) =>
    reasons.filter((reason) => ALL_ANSWERS[reason].headers?.[name] !== undefined)
  const names = (['Retry-After', 'WWW-Authenticate'] as const).filter((name) => carriers(name)[0])
  const isOnAll = (name: HeaderName) => carriers(name).length === reasons.length
  return {
    ...headerReferences(names.filter(isOnAll)),
    ...optionalHeaders(names.filter((name) => !isOnAll(name))),
  }
}
