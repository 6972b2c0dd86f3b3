import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import type { AnyElysia } from 'elysia'
import type { Content } from '../../../application/ports.ts'
import { ROUTES, type RouteId, rulesOf } from '../paths.ts'
import { RULES } from './fields.ts'
import {
  COMMON_HEADERS,
  HEADERS,
  type HeaderName,
  headerReferences,
  PREFLIGHT_HEADERS,
  RATE_LIMIT_HEADERS,
} from './headers.ts'
import { describeOperations } from './operations.ts'
import { describeNotFound } from './pages.ts'
import { COMMON_ERRORS, describeErrors, errorSchemas } from './responses.ts'

const OPENAPI_VERSION = '3.1.0'

const DESCRIPTION = `Sells premium access, authenticates by one-time codes sent by email, and serves excuses and translations to premium users.

Errors are JSON objects with \`error\`, which is one of the words listed for the status, and where there is more to say \`message\`. What is described for GET holds for HEAD, too, without the body.

A path that is not listed, and a method that is not listed for its path, is answered as in the components EndpointNotFound (404: a page for GET and HEAD, where Accept prefers text/html to application/json), InvalidRequest (400), TooManyRequests (429), InternalServerError (500) and TemporarilyUnavailable (503). A browser's question whether a page may send a request (CORS) is answered as in Preflight. What is no HTTP or over 8 MiB is refused with a bare status.

Not listed are the files that the pages load (/assets/) and the payment page of development mode (/sandbox/).`

const TAGS = [
  { name: 'auth', description: 'Prove an email address; trade a code for a token.' },
  { name: 'checkout', description: 'Buy premium access.' },
  { name: 'premium', description: 'What premium users read.' },
  { name: 'payment', description: 'Where the payment provider sends buyers back to.' },
  { name: 'webhook', description: 'For the payment provider.' },
  { name: 'status', description: 'For operators.' },
  {
    name: 'documentation',
    description: 'This description, and the page on which people do it all.',
  },
]

const UNLISTED_PATH = '/unlisted'

const PREFLIGHT = {
  description: 'What a page of another origin may ask with',
  headers: headerReferences([...COMMON_HEADERS, ...PREFLIGHT_HEADERS]),
}

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'The `token` of /auth/confirm-email, /auth/token or /auth/login, which counts until it expires or /auth/logout ends ' +
    'every token of the address. Whether the address has premium is looked up each time.',
}

type Response = {
  readonly description: string
  readonly headers?: object
  readonly content?: { readonly 'application/json'?: { readonly examples?: object } }
}
type Operation = {
  readonly requestBody?: { readonly content: Record<string, { schema: { examples?: unknown[] } }> }
  readonly responses: Readonly<Record<string, Response>>
}
/** By path and method. */
type Paths = Record<string, Record<string, Operation>>

/** The OpenAPI document of the routes. `serverUrl` is where they are served: an origin, or `/` for the reader's own. */
export function describeApi(
  app: AnyElysia,
  { version, serverUrl, content }: { version: string; serverUrl: string; content: Content },
): object {
  const paths = readPaths(app, content)
  const shared = new Map<string, Response>()
  /** The name of an answer that is described once, for all operations that have it. */
  function share(path: string, response: Response): { $ref: string } {
    const name = sharedName(path, response)
    shared.set(name, response)
    return { $ref: `#/components/responses/${name}` }
  }
  function complete(path: string, { requestBody, responses, ...operation }: Operation): object {
    const answers = Object.entries({ ...describeRateLimit(path), ...responses }).map(
      ([status, own]) => {
        const response = { ...own, headers: { ...commonHeaders(path), ...own.headers } }
        return [status, isPlainError(status, response) ? share(path, response) : response]
      },
    )
    return {
      ...operation,
      ...(requestBody ? { requestBody: withExample(requestBody) } : {}),
      responses: Object.fromEntries(answers),
    }
  }

  const completePaths = mapValues(paths, (operations, path) =>
    mapValues(operations, (operation) => complete(path, operation)),
  )
  for (const path of [UNLISTED_PATH, ...Object.keys(paths)]) {
    for (const error of describeOutside(path)) {
      share(path, { ...error, headers: { ...commonHeaders(path), ...error.headers } })
    }
  }
  return {
    openapi: OPENAPI_VERSION,
    info: { title: 'Alibi', version, description: DESCRIPTION },
    servers: [{ url: serverUrl }],
    tags: TAGS,
    paths: completePaths,
    components: {
      securitySchemes: { bearer: BEARER },
      schemas: errorSchemas(),
      headers: HEADERS,
      responses: { ...Object.fromEntries([...shared].sort()), Preflight: PREFLIGHT },
    },
  }
}

function readPaths(app: AnyElysia, content: Content): Paths {
  const exclude = { methods: ['head', 'options'], staticFile: false }
  const described = withOperations(app, content)
  const { paths } = toOpenAPISchema(described, exclude, [], {}, OPENAPI_VERSION)
  return withRules(paths) as Paths
}

/** The same, with the rules that no route checks in their place. */
function withRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withRules)
  if (typeof value !== 'object' || value === null) return value
  const { [RULES]: rules = {}, ...own } = value as Record<string, unknown>
  return { ...mapValues(own, withRules), ...(rules as object) }
}

/** The app as the document's maker looks at it. Its routes themselves carry no words, which a start has no use for. */
function withOperations(app: AnyElysia, content: Content): AnyElysia {
  const operations = describeOperations(content)
  const routes = app.routes.map((route) => {
    const id = findRouteId(route)
    return id ? { ...route, hooks: { ...route.hooks, detail: operations[id] } } : route
  })
  return Object.assign(Object.create(app), { getGlobalRoutes: () => routes })
}

function findRouteId({ method, path }: { method: string; path: string }): RouteId | undefined {
  const ids = Object.keys(ROUTES) as RouteId[]
  return ids.find((id) => ROUTES[id].method === method && ROUTES[id].path === path)
}

/** The answers of a path to methods that it does not have. */
function describeOutside(path: string): Response[] {
  const errors = describeErrors(['invalid_request', ...COMMON_ERRORS])
  return Object.values({ ...describeRateLimit(path), ...errors, ...describeNotFound() })
}

/** The refusal of every operation whose path has a rate limit. */
function describeRateLimit(path: string): Record<string, Response> {
  return rulesOf(path).policy ? describeErrors(['too_many_requests']) : {}
}

function commonHeaders(path: string): object {
  const { policy, deprecated } = rulesOf(path)
  const rateLimit = policy ? RATE_LIMIT_HEADERS : []
  const deprecation = Object.keys(deprecated ?? {}) as HeaderName[]
  return headerReferences([...COMMON_HEADERS, ...rateLimit, ...deprecation])
}

/** An error and nothing else: no page beside it. */
function isPlainError(status: string, { content = {} }: Response): boolean {
  return Number(status) >= 400 && Object.keys(content).join() === 'application/json'
}

/** The errors of the response, and the rule that makes its path different from others. */
function sharedName(path: string, { content }: Response): string {
  const errors = Object.keys(content?.['application/json']?.examples ?? {}).sort()
  const { policy, deprecated } = rulesOf(path)
  const kind = deprecated ? 'Deprecated' : policy ? '' : 'Unlimited'
  return `${errors.join('Or')}${kind}`
}

function withExample({ content, ...body }: NonNullable<Operation['requestBody']>): object {
  return {
    ...body,
    content: mapValues(content, ({ schema: { examples = [], ...schema } }) => ({
      schema,
      example: examples[0],
    })),
  }
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]))
}
