/** The header that carries a request's id: from the handler to the routes, and on every answer. Never the client's. */
export const REQUEST_ID = 'X-Request-Id'

/** A fresh id, in the order of time (UUIDv7, RFC 9562). */
export function newRequestId(): string {
  return Bun.randomUUIDv7()
}
