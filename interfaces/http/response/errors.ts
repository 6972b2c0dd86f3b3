import { logOutage, reportFault } from '../../../application/error-report.ts'
import type { Clock, Ports } from '../../../application/ports.ts'
import { type Outage, Unavailable } from '../../../application/unavailable.ts'
import { DomainError, type Refusal } from '../../../domain/errors.ts'
import { waitSeconds } from '../request/rate-limit.ts'
import { type RequestRefusal, RequestRefused } from '../request/refusal.ts'

/** An error as its caller sees it. */
export type Answer = {
  readonly status: number
  readonly error: string
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
}

const TOO_MANY_REQUESTS = 'Too many requests, please try again later'

/** A client that asks again sooner only adds to the load. */
const RETRY_AFTER_OUTAGE_SECONDS = 30

/** For every reason that passes by itself. */
export const TEMPORARILY_UNAVAILABLE = {
  status: 503,
  error: 'Temporarily unavailable',
  headers: { 'Retry-After': String(RETRY_AFTER_OUTAGE_SECONDS) },
} as const satisfies Answer

/** The rest of the body is not waited for. */
const UNAVAILABLE_TO_THIS_CONNECTION = {
  ...TEMPORARILY_UNAVAILABLE,
  headers: { ...TEMPORARILY_UNAVAILABLE.headers, Connection: 'close' },
} as const satisfies Answer

const INVALID_REQUEST = { status: 400, error: 'Invalid request' } as const satisfies Answer

const EMAIL_UNAVAILABLE = {
  status: 503,
  error: 'Email delivery unavailable',
} as const satisfies Answer

export const ANSWERS = {
  invalid_email: { status: 400, error: 'Invalid email' },
  invalid_code: {
    status: 401,
    error: 'Invalid or expired code',
    // RFC 9110, section 15.5.2: every 401 names a scheme.
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  invalid_proof_key: INVALID_REQUEST,
  too_many_mails: { status: 429, error: TOO_MANY_REQUESTS },
  too_many_wrong_codes: { status: 429, error: TOO_MANY_REQUESTS },
  // A person reads the same as when the mail provider is out of order, and comes back later as well.
  mail_limit_reached: EMAIL_UNAVAILABLE,
  missing_token: {
    status: 401,
    error: 'Missing token',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  invalid_token: {
    status: 401,
    error: 'Invalid or expired token',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  },
  premium_required: {
    status: 403,
    error: 'Premium access required',
    message: 'You must purchase premium access to use this feature',
  },
  premium_required_to_log_in: {
    status: 403,
    error: 'Premium access required',
    message: 'You must purchase premium access to log in',
  },
  email_not_verified: {
    status: 403,
    error: 'Email not verified',
    message: 'Please verify your email with OTP code before purchasing',
  },
  email_not_verified_to_log_in: {
    status: 403,
    error: 'Email not verified',
    message: 'Please verify your email with OTP code before logging in',
  },
  premium_already_active: { status: 409, error: 'Premium access already active' },
  payment_processing: { status: 409, error: 'Payment processing' },
  invalid_signature: { status: 400, error: 'Invalid signature' },
} as const satisfies Record<Refusal, Answer>

export const REQUEST_ANSWERS = {
  invalid_json: { status: 400, error: 'Invalid JSON' },
  invalid_request: INVALID_REQUEST,
  endpoint_not_found: { status: 404, error: 'Endpoint not found' },
  request_too_large: { status: 413, error: 'Request too large' },
  unsupported_media_type: { status: 415, error: 'Unsupported media type' },
  too_many_requests: { status: 429, error: TOO_MANY_REQUESTS },
  too_many_bodies: TEMPORARILY_UNAVAILABLE,
  body_too_slow: UNAVAILABLE_TO_THIS_CONNECTION,
  stopping: UNAVAILABLE_TO_THIS_CONNECTION,
} as const satisfies Record<RequestRefusal, Answer>

export const OUTAGE_ANSWERS = {
  email: EMAIL_UNAVAILABLE,
  payment: { status: 503, error: 'Payment provider unavailable' },
  storage: TEMPORARILY_UNAVAILABLE,
} as const satisfies Record<Outage, Answer>

export const FAULT_ANSWER = {
  status: 500,
  error: 'Internal server error',
} as const satisfies Answer

/** Every answer with an error. */
export type ErrorAnswer =
  | ValueOf<typeof ANSWERS>
  | ValueOf<typeof REQUEST_ANSWERS>
  | ValueOf<typeof OUTAGE_ANSWERS>
  | typeof FAULT_ANSWER

type ValueOf<Row> = Row[keyof Row]

export function answerResponse({ status, error, message, headers }: Answer): Response {
  const body = message === undefined ? { error } : { error, message }
  return Response.json(body, { status, headers: { ...headers } })
}

/**
 * The one place where an error becomes an answer. The log has the details under the request's id. After a fault, the
 * caller gets that id and nothing else.
 */
export function answerError(
  { clock, log, telemetry }: Pick<Ports, 'clock' | 'log' | 'telemetry'>,
  error: unknown,
  requestId: string,
): Answer {
  const refusal = findRefusal(error)
  if (refusal instanceof DomainError) {
    telemetry.record({ kind: 'request_refused', reason: refusal.refusal })
    return answerRefusal(clock, refusal)
  }
  if (refusal instanceof RequestRefused) {
    telemetry.record({ kind: 'request_refused', reason: refusal.reason })
    return REQUEST_ANSWERS[refusal.reason]
  }
  if (refusal instanceof Unavailable) {
    logOutage({ log }, refusal, { request: requestId })
    return OUTAGE_ANSWERS[refusal.outage]
  }
  log('http.request_failed', { request: requestId, ...reportFault(error) })
  return { ...FAULT_ANSWER, message: `Request ${requestId}` }
}

/** Null for a fault. */
function findRefusal(error: unknown): DomainError | RequestRefused | Unavailable | null {
  if (error instanceof DomainError || error instanceof Unavailable) return error
  if (error instanceof RequestRefused) return error
  return null
}

function answerRefusal(clock: Clock, { refusal, retryAt }: DomainError): Answer {
  const answer: Answer = ANSWERS[refusal]
  if (!retryAt) return answer
  const waitMs = retryAt.getTime() - clock.now().getTime()
  return { ...answer, headers: { ...answer.headers, 'Retry-After': String(waitSeconds(waitMs)) } }
}
