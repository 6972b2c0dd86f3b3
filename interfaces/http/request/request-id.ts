import { exchangeOf } from './exchange.ts'

/** The header of every answer that carries its request's id. A client's own is not looked at. */
export const REQUEST_ID = 'X-Request-Id'

/** A fresh id, in the order of time (UUIDv7, RFC 9562). */
export function newRequestId(): string {
  return Bun.randomUUIDv7()
}

/** The id that the handler has given to a request. */
export function requestIdOf(request: Request): string {
  return exchangeOf(request).requestId
}
