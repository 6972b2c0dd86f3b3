import {
  type Fault,
  REDIRECT,
  SERVER_ERROR,
  SERVER_ERROR_WITHOUT_ERROR,
  TOO_MANY_REQUESTS,
  UNAUTHORIZED,
} from '../stripe-double/faults.ts'
import type { Answer } from '../stripe-double/wire.ts'

/** What looks like success, and is about something else. */
export const ANOTHER_OBJECT = json(200, { id: 'cus_1', object: 'customer' })
export const ANOTHER_LIST = json(200, {
  object: 'list',
  url: '/v1/customers',
  has_more: false,
  data: [{ id: 'cus_1', object: 'customer' }],
})
const FORBIDDEN = json(403, {
  error: { type: 'invalid_request_error', message: 'The provided key may not do this.' },
})

/**
 * Everything that can come instead of an answer, for `describe.each`, and whether only an operator can mend it. `other`
 * is an answer about something else than what was asked for.
 */
export const STRIPE_FAULTS: readonly (readonly [
  string,
  Fault | 'other',
  needsOperator: boolean,
])[] = [
  ['never answers', 'hang', false],
  ['cuts the connection', 'reset', false],
  ['cuts its answer', 'truncated', false],
  ['fails', SERVER_ERROR, false],
  ['fails without an error of its own', SERVER_ERROR_WITHOUT_ERROR, false],
  ['has a page in front that says 502', page(502), false],
  ['answers with another object', 'other', false],
  ['points elsewhere', REDIRECT, false],
  ['is asked too often', TOO_MANY_REQUESTS, false],
  ['is asked too often and says for how long', retryAfter(30), false],
  ['does not know the key any more', UNAUTHORIZED, true],
  ['does not let the key do this any more', FORBIDDEN, true],
]

function json(status: number, body: object): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function page(status: number): Answer {
  const headers = { 'content-type': 'text/html', 'stripe-should-retry': 'false' }
  return { status, headers, body: '<html>bad gateway</html>' }
}

function retryAfter(seconds: number): Answer {
  const { headers, ...answer } = TOO_MANY_REQUESTS as Answer
  return { ...answer, headers: { ...headers, 'retry-after': String(seconds) } }
}
