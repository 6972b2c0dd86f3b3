import type { PathRules } from '../paths.ts'
import { type Exchange, REQUEST_ID } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { corsHeaders, originHeaders } from './cors.ts'
import type { Answer } from './errors.ts'
import { jsonText } from './json-text.ts'
import { securityHeaders } from './security-headers.ts'

type Fields = Readonly<Record<string, string>>

type AnswerMaker = {
  /** An answer in JSON, with all headers. */
  json(exchange: Exchange, value: unknown): Response
  /** As `json`, for an error. */
  error(exchange: Exchange, answer: Answer): Response
  /** The same answer with all headers. It keeps those that it has. */
  complete(exchange: Exchange, answer: Response): Response
}

/** Gives answers the headers that all have in common. Those that every request gets alike are put together once. */
export function answerMaker({
  isHttps,
  corsOrigins,
}: Pick<HttpOptions, 'isHttps' | 'corsOrigins'>): AnswerMaker {
  const { Vary, ...common } = { ...securityHeaders({ isHttps }), ...corsHeaders(corsOrigins) }
  const templateOf = templates({ ...common, ...(Vary === undefined ? {} : { Vary }) })
  const commonFields = Object.entries(common)

  /** Those that only few answers have. */
  function setRare(answer: Response, { request, rateLimit }: Exchange): void {
    if (rateLimit?.retryAfter) answer.headers.set('Retry-After', rateLimit.retryAfter)
    const allowed = originHeaders(corsOrigins, request)
    if (allowed) setAll(answer.headers, allowed)
  }

  function jsonAnswer(exchange: Exchange, value: unknown, status: number): Response {
    const headers = templateOf(exchange)
    setOwn(headers, exchange)
    const answer = new Response(jsonText(value), { status, headers })
    setRare(answer, exchange)
    return answer
  }

  return {
    json: (exchange, value) => jsonAnswer(exchange, value, 200),
    error(exchange, { status, error, message, headers = {} }) {
      const body = message === undefined ? { error } : { error, message }
      const answer = jsonAnswer(exchange, body, status)
      setAll(answer.headers, headers)
      return answer
    },
    complete(exchange, answer) {
      const { headers } = answer
      const { rules, rateLimit } = exchange
      for (const [name, value] of commonFields) if (!headers.has(name)) headers.set(name, value)
      if (rules.deprecated) setAll(headers, rules.deprecated)
      if (Vary !== undefined) headers.append('Vary', Vary)
      if (rateLimit) headers.set('RateLimit-Policy', rateLimit.policy)
      setOwn(headers, exchange)
      setRare(answer, exchange)
      return answer
    },
  }
}

/** Those that are another one with each answer. */
function setOwn(headers: Headers, { requestId, rateLimit }: Exchange): void {
  headers.set(REQUEST_ID, requestId)
  if (rateLimit) headers.set('RateLimit', rateLimit.limit)
}

/**
 * The heads of answers in JSON, by the rules of their paths and by whether a rate limit counts. An answer's own headers
 * are set in one, and the answer has a copy: both cost less than headers one by one, and than to change the copy.
 */
function templates(common: Fields): (exchange: Exchange) => Headers {
  const counted = new Map<PathRules, Headers>()
  const uncounted = new Map<PathRules, Headers>()

  return ({ rules, rateLimit }) => {
    const known = rateLimit ? counted : uncounted
    const template = known.get(rules)
    if (template) return template
    const made = new Headers({
      'Content-Type': 'application/json;charset=utf-8',
      ...common,
      ...rules.deprecated,
      ...(rateLimit ? { 'RateLimit-Policy': rateLimit.policy } : {}),
    })
    known.set(rules, made)
    return made
  }
}

function setAll(headers: Headers, fields: Fields): void {
  for (const name in fields) headers.set(name, fields[name] ?? '')
}
