/** The header that carries a request's id: from the handler to the routes, and on every answer. Never the client's. */
export const REQUEST_ID = 'X-Request-Id'

/** A fresh id, in the order of time (UUIDv7, RFC 9562). */
export function newRequestId(): string {
  return Bun.randomUUIDv7()
}

/** The id that the handler has given to a request on its way to the routes. */
export function requestIdOf({ headers }: Request): string {
  return headers.get(REQUEST_ID) ?? ''
}
