import type { TokenReading } from '../../../application/access/authenticate.ts'
import { type PathRules, rulesOf } from '../paths.ts'
import { readTarget, type Target } from './target.ts'

/** The fields of the IETF draft draft-ietf-httpapi-ratelimit-headers, and Retry-After for a refusal. */
type RateLimitFields = {
  /** RateLimit-Policy, the same for every request that the limit counts. */
  readonly policy: string
  /** RateLimit. */
  readonly limit: string
  /** Null for a request that is accepted. */
  readonly retryAfter: string | null
}

/** A request on its way to its answer, and what has been found out about it: each part once, when it is asked for. */
export type Exchange = {
  /** As it came. */
  readonly request: Request
  readonly target: Target
  /** Whether it is a browser's question whether a page may send another one. */
  readonly isPreflight: boolean
  /** The answer and every line of the log about the request carry it. Always of our own making. */
  readonly requestId: string
  /** Those of its path. */
  readonly rules: PathRules
  /** The address that the request comes from; null for one that did not come over the network. */
  readonly clientAddress: () => string | null
  /** Null where the request has no body that a route takes. Throws `RequestRefused`. */
  readonly readBody: () => Promise<Uint8Array | null>
  /** What its token shows; undefined until the token is read. */
  tokenReading: Promise<TokenReading | null> | undefined
  /** What its rate limit says; null until it has been counted, and where nothing limits it. */
  rateLimit: RateLimitFields | null
  /** Whether it was refused before a route has seen it. */
  isTurnedAway: boolean
}

/** An entry lives as long as its request. */
const exchanges = new WeakMap<Request, Exchange>()

/** Makes `exchangeOf` return this for the request, as it came or as the routes see it. */
export function rememberExchange(request: Request, exchange: Exchange): void {
  exchanges.set(request, exchange)
}

/** Of a request that did not come through the handler there is only what it says itself. */
export function exchangeOf(request: Request): Exchange {
  const known = exchanges.get(request)
  if (known) return known
  const target = readTarget(request.url)
  const bare: Exchange = {
    request,
    target,
    isPreflight: false,
    rules: rulesOf(target.path),
    requestId: '',
    clientAddress: () => null,
    readBody: () => request.bytes(),
    tokenReading: undefined,
    rateLimit: null,
    isTurnedAway: false,
  }
  exchanges.set(request, bare)
  return bare
}

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
