import { t } from 'elysia'
import { LANGUAGES } from '../../../domain/language.ts'

/** A whole number; the `t.Integer` of Elysia would also take one that is written as text. */
const SECONDS = { type: 'integer', minimum: 1 } as const

/** Every header of an answer. `required` means that it is on each answer that lists it. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Names the request in the log. Always of our own making (UUIDv7).',
    required: true,
    schema: t.String({ format: 'uuid' }),
    example: '01a1ffaf-d01d-760c-b2a2-95c942773c10',
  },
  'Cache-Control': {
    description: 'Nothing is kept by caches.',
    required: true,
    schema: t.Literal('no-store'),
  },
  'Content-Security-Policy': {
    description: 'What a browser may do with the answer when it shows it.',
    required: true,
    schema: t.String({ pattern: "^default-src 'none'; " }),
    example: "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  },
  'X-Content-Type-Options': {
    description: 'The Content-Type is meant.',
    required: true,
    schema: t.Literal('nosniff'),
  },
  'Referrer-Policy': {
    description: 'Links from here do not say where they stand.',
    required: true,
    schema: t.Literal('no-referrer'),
  },
  'Cross-Origin-Resource-Policy': {
    description: 'Pages of other sites may not embed the answer.',
    required: true,
    schema: t.Literal('same-origin'),
  },
  'Strict-Transport-Security': {
    description: 'Where the public address is https.',
    schema: t.String({ pattern: '^max-age=[0-9]+$' }),
    example: 'max-age=63072000',
  },
  'Access-Control-Allow-Origin': {
    description: 'Where the origin that asks may read the answer: that origin, or every one.',
    schema: t.String({ minLength: 1 }),
    example: '*',
  },
  'Access-Control-Expose-Headers': {
    description: 'The headers that a page of that origin may read.',
    schema: t.String({ minLength: 1 }),
    example: 'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
  },
  'Access-Control-Allow-Methods': {
    description: 'What a page may ask with.',
    required: true,
    schema: t.String({ minLength: 1 }),
    example: 'GET, HEAD, POST',
  },
  'Access-Control-Allow-Headers': {
    description: 'What a page may send along.',
    required: true,
    schema: t.String({ minLength: 1 }),
    example: 'Authorization, Content-Type',
  },
  'Access-Control-Allow-Private-Network': {
    description: 'In development, where a page of an allowed origin asks for a machine inside.',
    schema: t.Literal('true'),
  },
  'Access-Control-Max-Age': {
    description: 'For how many seconds a browser may remember that.',
    required: true,
    schema: SECONDS,
    example: 7200,
  },
  Vary: {
    description: 'The request headers on which the answer depends.',
    schema: t.String({ minLength: 1 }),
    example: 'Origin',
  },
  'RateLimit-Policy': {
    description:
      'The budget: how many requests (q) in how many seconds (w). Left out where the limit is off.',
    schema: t.String({ pattern: '^"(?:general|auth|premium)";q=[0-9]+;w=[0-9]+$' }),
    example: '"auth";q=5;w=900',
  },
  RateLimit: {
    description:
      'What is left of it: how many requests (r), and when it grows again in seconds (t).',
    schema: t.String({ pattern: '^"(?:general|auth|premium)";r=[0-9]+;t=[0-9]+$' }),
    example: '"auth";r=4;t=873',
  },
  'Retry-After': {
    description: 'After how many seconds it makes sense to ask again.',
    required: true,
    schema: SECONDS,
    example: 873,
  },
  'WWW-Authenticate': {
    description: 'The scheme, and whether there was a token that does not count.',
    required: true,
    schema: t.String({ enum: ['Bearer', 'Bearer error="invalid_token"'] }),
    example: 'Bearer',
  },
  Deprecation: {
    description: 'Since when there is a better way, in Unix seconds (RFC 9745).',
    schema: t.String({ pattern: '^@[0-9]+$' }),
    example: '@1795219200',
  },
  Link: {
    description: 'The better way.',
    schema: t.String({ pattern: '^<[^>]+>; rel="successor-version"$' }),
    example: '</auth/verify-email>; rel="successor-version"',
  },
  Location: {
    description: 'Where to go on.',
    required: true,
    schema: t.Literal('/app'),
    example: '/app',
  },
  'Content-Language': {
    description: 'The language of the page.',
    required: true,
    schema: t.String({ enum: [...LANGUAGES] }),
    example: 'en',
  },
  'Content-Encoding': {
    description: 'How the page is compressed, among the ways in Accept-Encoding.',
    schema: t.String({ enum: ['zstd', 'gzip'] }),
    example: 'gzip',
  },
  ETag: {
    description: 'Changes with the page; for If-None-Match.',
    required: true,
    schema: t.String({ pattern: '^(?:W/)?"[^"]+"$' }),
    example: 'W/"d11328a8a5dfd93"',
  },
  'X-Robots-Tag': {
    description: 'Search engines are asked to leave the page out.',
    required: true,
    schema: t.Literal('noindex'),
  },
  'Cross-Origin-Opener-Policy': {
    description: 'Pages of other sites keep no hold of the page.',
    required: true,
    schema: t.Literal('same-origin'),
  },
  'Permissions-Policy': {
    description: 'What the page may ask of the browser.',
    required: true,
    schema: t.String({ minLength: 1 }),
    example: 'camera=(), microphone=(), geolocation=()',
  },
  'X-Frame-Options': {
    description: 'No page may frame it.',
    required: true,
    schema: t.Literal('DENY'),
  },
} as const

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
