import { type Answer, CLOSED, type Reply } from './wire.ts'

/**
 * What goes wrong with a request. `hang`, `reset`, `truncated` and `wrong_id` spoil the answer to what was done all
 * the same; an answer of its own comes instead of doing anything.
 */
export type Fault = 'hang' | 'reset' | 'truncated' | 'wrong_id' | Answer

const JSON_HEADERS = { 'content-type': 'application/json' }

export function refused(
  status: number,
  error: object,
  headers: Record<string, string> = {},
): Answer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify({ error }) }
}

/** Failures as Stripe answers them: Stripe knows whether a retry makes sense, and sends that along. */
export const SERVER_ERROR = refused(
  500,
  { type: 'api_error', message: 'An unknown error occurred.' },
  { 'stripe-should-retry': 'false' },
)
/** As something between us and Stripe fails. */
export const SERVER_ERROR_WITHOUT_ERROR: Answer = {
  status: 500,
  headers: { ...JSON_HEADERS, 'stripe-should-retry': 'false' },
  body: '{"id":"cs_test_500","object":"checkout.session","url":"https://checkout.stripe.com/c"}',
}
export const TOO_MANY_REQUESTS = tooManyRequests({})

export function tooManyRequests(headers: Record<string, string>): Answer {
  const type = 'invalid_request_error'
  const error = { type, code: 'rate_limit', message: 'Request rate limit exceeded.' }
  return refused(429, error, headers)
}

export const UNAUTHORIZED = refused(401, {
  type: 'invalid_request_error',
  message: 'Invalid API Key provided: sk_test_****',
})
/** As Stripe answers a restricted key that lacks the permission. */
export const FORBIDDEN = refused(403, {
  type: 'invalid_request_error',
  message: 'The provided key does not have the required permissions for this endpoint.',
})
/** As Stripe answers a key of one mode that is used on what belongs to the other. */
export const WRONG_MODE = refused(400, {
  type: 'invalid_request_error',
  code: 'livemode_mismatch',
  message: 'Test and live mode API keys only work within their own mode.',
})
export const REDIRECT: Answer = {
  status: 307,
  headers: { location: 'http://127.0.0.1:9/elsewhere' },
  body: '',
}

export function spoil(answer: Answer, fault: Exclude<Fault, Answer>): Reply | Promise<Reply> {
  switch (fault) {
    case 'hang':
      return new Promise<never>(() => {})
    case 'reset':
      return CLOSED
    case 'truncated':
      return { ...answer, truncated: true }
    case 'wrong_id':
      return { ...answer, body: answer.body.replace(/"id": "[a-z]+_/, '"id": "other_') }
  }
}

/** The faults that are waiting for requests, and the requests that are held back. */
export function faultQueue() {
  const queue: { fault: Fault; on: string | null; left: number }[] = []
  const holds: { on: string; released: Promise<void> }[] = []
  return {
    /** Spoils the next `times` requests, or only those to the route `on`, such as `GET /v1/prices/:id`. */
    fault(fault: Fault, { times = 1, on = null }: { times?: number; on?: string | null } = {}) {
      queue.push({ fault, on, left: times })
    },
    clearFaults() {
      queue.length = 0
    },
    /** Keeps the next request to the route under way until the returned function is called. */
    hold(on: string): () => void {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      holds.push({ on, released })
      return release
    },
    next(route: string | null): Fault | null {
      const waiting = queue.find(({ on, left }) => left > 0 && (on === null || on === route))
      if (!waiting) return null
      waiting.left--
      return waiting.fault
    },
    async heldBack(route: string | null): Promise<void> {
      const index = holds.findIndex(({ on }) => on === route)
      if (index >= 0) await holds.splice(index, 1)[0]?.released
    },
  }
}
