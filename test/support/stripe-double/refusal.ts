/** Stripe says no; https://docs.stripe.com/api/errors. */
export class Refusal extends Error {
  readonly body: string

  constructor(
    readonly status: number,
    error: { type: string; message: string; code?: string; param?: string },
    /** Whether the request was carried out so far that its idempotency key is used up by it. */
    readonly isExecuted = false,
  ) {
    super(error.message)
    this.body = JSON.stringify({ error }, null, 2)
  }
}

export function invalidRequest(message: string, detail: { code?: string; param?: string } = {}) {
  return new Refusal(400, { type: 'invalid_request_error', message, ...detail })
}

export function missingResource(kind: string, id: string, param = 'id') {
  const message = `No such ${kind}: '${id}'`
  return new Refusal(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message,
    param,
  })
}

/** What only turns out when the request is carried out. */
export function executionRefusal(message: string, code: string) {
  return new Refusal(400, { type: 'invalid_request_error', message, code }, true)
}
