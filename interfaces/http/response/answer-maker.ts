import { type Exchange, REQUEST_ID } from '../request/exchange.ts'
import type { HttpOptions } from '../request/options.ts'
import { corsHeaders, originHeaders } from './cors.ts'
import type { Answer } from './errors.ts'
import { jsonText } from './json-text.ts'
import { securityHeaders } from './security-headers.ts'

type Fields = Readonly<Record<string, string>>

/** What an answer has to do with its request. */
type Asked = Pick<Exchange, 'request' | 'requestId' | 'rules' | 'rateLimit'>

export type AnswerMaker = {
  /** An answer in JSON, with all headers. */
  json(asked: Asked, value: unknown): Response
  /** As `json`, for an error. */
  error(asked: Asked, answer: Answer): Response
  /** The same answer with all headers. It keeps those that it has. */
  complete(asked: Asked, answer: Response): Response
}

/** Gives answers the headers that all have in common. Those that every request gets alike are put together once. */
export function answerMaker({
  isHttps,
  corsOrigins,
}: Pick<HttpOptions, 'isHttps' | 'corsOrigins'>): AnswerMaker {
  const { Vary, ...common } = { ...securityHeaders({ isHttps }), ...corsHeaders(corsOrigins) }
  const varying = Vary === undefined ? {} : { Vary }
  const templates = new Map<Fields | null, Headers>()

  /** A copy of a template costs less than the headers one by one. */
  function templateOf(deprecated: Fields | null): Headers {
    const known = templates.get(deprecated)
    if (known) return known
    const type = { 'Content-Type': 'application/json;charset=utf-8' }
    const made = new Headers({ ...type, ...common, ...varying, ...deprecated })
    templates.set(deprecated, made)
    return made
  }

  function setOwn(headers: Headers, { request, requestId, rateLimit }: Asked): void {
    headers.set(REQUEST_ID, requestId)
    setAll(headers, rateLimit)
    const allowed = originHeaders(corsOrigins, request)
    if (allowed) setAll(headers, allowed)
  }

  function jsonAnswer(asked: Asked, value: unknown, status: number): Response {
    const answer = new Response(jsonText(value), {
      status,
      headers: templateOf(asked.rules.deprecated),
    })
    setOwn(answer.headers, asked)
    return answer
  }

  return {
    json: (asked, value) => jsonAnswer(asked, value, 200),
    error(asked, { status, error, message, headers = {} }) {
      const body = message === undefined ? { error } : { error, message }
      const answer = jsonAnswer(asked, body, status)
      setAll(answer.headers, headers)
      return answer
    },
    complete(asked, answer) {
      const { headers } = answer
      for (const [name, value] of Object.entries({ ...common, ...asked.rules.deprecated })) {
        if (!headers.has(name)) headers.set(name, value)
      }
      if (Vary !== undefined) headers.append('Vary', Vary)
      setOwn(headers, asked)
      return answer
    },
  }
}

function setAll(headers: Headers, fields: Fields): void {
  for (const name in fields) headers.set(name, fields[name] ?? '')
}
