import { t } from 'elysia'
import { LANGUAGES } from '../../../domain/language.ts'

/** A whole number; the `t.Integer` of Elysia would also take one that is written as text. */
const SECONDS = { type: 'integer', minimum: 1 } as const

const SOME_TEXT = t.String({ minLength: 1 })

/** Every header of an answer. `required` means that it is on each answer that lists it. */
export const HEADERS = {
  'X-Request-Id': always(
    'Names the request in the log. Always of our own making (UUIDv7).',
    t.String({ format: 'uuid' }),
    '01a1ffaf-d01d-760c-b2a2-95c942773c10',
  ),
  'Cache-Control': always('Nothing is kept by caches.', t.Literal('no-store')),
  'Content-Security-Policy': always(
    'What a browser may do with the answer when it shows it.',
    text("^default-src 'none'; "),
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ),
  'X-Content-Type-Options': always('The Content-Type is meant.', t.Literal('nosniff')),
  'Referrer-Policy': always(
    'Links from here do not say where they stand.',
    t.Literal('no-referrer'),
  ),
  'Cross-Origin-Resource-Policy': always(
    'Pages of other sites may not embed the answer.',
    t.Literal('same-origin'),
  ),
  'Strict-Transport-Security': sometimes(
    'Where the public address is https.',
    text('^max-age=[0-9]+$'),
    'max-age=63072000',
  ),
  'Access-Control-Allow-Origin': sometimes(
    'Where the origin that asks may read the answer: that origin, or every one.',
    SOME_TEXT,
    '*',
  ),
  'Access-Control-Expose-Headers': sometimes(
    'The headers that a page of that origin may read.',
    SOME_TEXT,
    'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
  ),
  'Access-Control-Allow-Methods': always('What a page may ask with.', SOME_TEXT, 'GET, HEAD, POST'),
  'Access-Control-Allow-Headers': always(
    'What a page may send along.',
    SOME_TEXT,
    'Authorization, Content-Type',
  ),
  'Access-Control-Allow-Private-Network': sometimes(
    'In development, where a page of an allowed origin asks for a machine inside.',
    t.Literal('true'),
  ),
  'Access-Control-Max-Age': always(
    'For how many seconds a browser may remember that.',
    SECONDS,
    7200,
  ),
  Vary: sometimes('The request headers on which the answer depends.', SOME_TEXT, 'Origin'),
  'RateLimit-Policy': sometimes(
    'The budget: how many requests (q) in how many seconds (w). Left out where the limit is off.',
    text('^"(?:general|auth|premium)";q=[0-9]+;w=[0-9]+$'),
    '"auth";q=5;w=900',
  ),
  RateLimit: sometimes(
    'What is left of it: how many requests (r), and when it grows again in seconds (t).',
    text('^"(?:general|auth|premium)";r=[0-9]+;t=[0-9]+$'),
    '"auth";r=4;t=873',
  ),
  'Retry-After': always('After how many seconds it makes sense to ask again.', SECONDS, 873),
  'WWW-Authenticate': always(
    'The scheme, and whether there was a token that does not count.',
    t.String({ enum: ['Bearer', 'Bearer error="invalid_token"'] }),
    'Bearer',
  ),
  Deprecation: sometimes(
    'Since when there is a better way, in Unix seconds (RFC 9745).',
    text('^@[0-9]+$'),
    '@1795219200',
  ),
  Link: sometimes(
    'The better way.',
    text('^<[^>]+>; rel="successor-version"$'),
    '</auth/verify-email>; rel="successor-version"',
  ),
  Location: always('Where to go on.', t.Literal('/app'), '/app'),
  'Content-Language': always('The language of the page.', t.String({ enum: [...LANGUAGES] }), 'en'),
  'Content-Encoding': sometimes(
    'How the page is compressed, among the ways in Accept-Encoding.',
    t.String({ enum: ['zstd', 'gzip'] }),
    'gzip',
  ),
  ETag: always(
    'Changes with the page; for If-None-Match.',
    text('^(?:W/)?"[^"]+"$'),
    'W/"d11328a8a5dfd93"',
  ),
  'X-Robots-Tag': always('Search engines are asked to leave the page out.', t.Literal('noindex')),
  'Cross-Origin-Opener-Policy': always(
    'Pages of other sites keep no hold of the page.',
    t.Literal('same-origin'),
  ),
  'Permissions-Policy': always(
    'What the page may ask of the browser.',
    SOME_TEXT,
    'camera=(), microphone=(), geolocation=()',
  ),
  'X-Frame-Options': always('No page may frame it.', t.Literal('DENY')),
} as const

type Example = string | number

function always(description: string, schema: object, example?: Example) {
  return { ...sometimes(description, schema, example), required: true }
}

function sometimes(description: string, schema: object, example?: Example) {
  return { description, schema, ...(example === undefined ? {} : { example }) }
}

function text(pattern: string) {
  return t.String({ pattern })
}

export type HeaderName = keyof typeof HEADERS

/** On every answer, or on every one that a page of another origin asks for. */
export const COMMON_HEADERS = [
  'X-Request-Id',
  'Cache-Control',
  'Content-Security-Policy',
  'X-Content-Type-Options',
  'Referrer-Policy',
  'Cross-Origin-Resource-Policy',
  'Strict-Transport-Security',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Vary',
] as const satisfies readonly HeaderName[]

export const PREFLIGHT_HEADERS = [
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Allow-Private-Network',
  'Access-Control-Max-Age',
] as const satisfies readonly HeaderName[]

/** On every answer of a path that has a rate limit. */
export const RATE_LIMIT_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
] as const satisfies readonly HeaderName[]

/** The headers of a response, as references. */
export function headerReferences(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The same for those that are on some of the answers only. */
export function optionalHeaders(names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { ...HEADERS[name], required: false }]))
}
