import { networkOf, ONE_CLIENT } from '../../domain/client-network.ts'
import { createApp } from './app.ts'
import { isWebhook, rulesOf } from './paths.ts'
import { handBearerOver } from './request/bearer.ts'
import { mayBeLong, readBody } from './request/body.ts'
import { bodyBudget } from './request/body-budget.ts'
import { clientAddressReader, rememberClientAddress } from './request/client-address.ts'
import type { HttpOptions } from './request/options.ts'
import { consumeRateLimit } from './request/rate-limit.ts'
import { RequestRefused } from './request/refusal.ts'
import { newRequestId, REQUEST_ID } from './request/request-id.ts'
import {
  PATH_LENGTH_MAX,
  ROUTED_ORIGIN,
  readTarget,
  type SentSegments,
  type Target,
} from './request/target.ts'
import { allowOrigin, answerPreflight, isPreflight } from './response/cors.ts'
import { answerError, answerResponse } from './response/errors.ts'
import { setSecurityHeaders } from './response/security-headers.ts'
import { paymentErrorPage } from './routes/payment-error-page.ts'
import { refuseByHead } from './routes/webhook.ts'

/**
 * Answers every request. `peerAddress` is null when it did not come over the network. `sent` is how the path was sent
 * where the request says it otherwise.
 */
export type Handler = (
  request: Request,
  peerAddress: string | null,
  sent?: SentSegments,
) => Promise<Response>

type Incoming = {
  readonly request: Request
  readonly requestId: string
  readonly peerAddress: string | null
  /** The rate limits and the routes go by the same path. */
  readonly target: Target
}

// Why: docs/decisions.md#our-own-wrapper-around-the-routes
/** The routes, and around them everything that all answers share: limits, identification, headers, the access log. */
export function createHandler(options: HttpOptions): Handler {
  const { ports, corsOrigins } = options
  const app = createApp(options)
  const loggedPath = pathForLog(app.routes.map(({ path }) => path))
  const clientAddress = clientAddressReader(options.isTrustedProxy, ports.log)
  const bodyOf = bodyReader(options, pathMatcher(postPaths(app.routes)))

  async function answer(incoming: Incoming): Promise<Response> {
    const { request, target, peerAddress } = incoming
    if (isPreflight(request)) return endWithLongBody(answerPreflight(), request)

    const { url } = target
    const path = url?.pathname ?? ''
    let ownHeaders: Readonly<Record<string, string>> = { ...rulesOf(path).deprecated }
    let response: Response
    let isBodyRead = false
    try {
      const address = clientAddress(request, peerAddress)
      const bodyOnDemand = once(async () => {
        const body = await bodyOf(request, { path, address })
        isBodyRead = body !== null
        return body
      })
      const limited = { request, url, address, readBody: bodyOnDemand }
      const verdict = await consumeRateLimit(options, limited)
      ownHeaders = { ...ownHeaders, ...verdict.headers }
      if (!verdict.accepted) throw new RequestRefused('too_many_requests')
      if (!url) throw new RequestRefused(target.refusal)
      if (path.length > PATH_LENGTH_MAX) throw new RequestRefused('endpoint_not_found')
      const routed = routedRequest(incoming, url, await bodyOnDemand())
      rememberClientAddress(routed, address)
      handBearerOver(request, routed)
      response = await app.handle(routed)
    } catch (error) {
      response = answerResponse(answerError(ports, error, incoming.requestId))
    }
    setHeaders(response, ownHeaders)
    const page = url && paymentErrorPage(ports, { url, headers: request.headers }, response)
    if (page) response = setHeaders(page, ownHeaders)
    if (!isBodyRead) endWithLongBody(response, request)
    return request.method === 'HEAD' ? withoutBody(response) : response
  }

  return async (request, peerAddress, sent) => {
    const startedAtMs = options.monotonicMs()
    const requestId = newRequestId()
    const target = readTarget(request.url, sent)
    const response = await answer({ request, requestId, peerAddress, target })

    response.headers.set(REQUEST_ID, requestId)
    setSecurityHeaders(response.headers, options)
    allowOrigin(response.headers, corsOrigins, request.headers.get('origin'))
    const { method } = request
    const { status } = response
    const route = loggedPath(target.url)
    const ms = options.monotonicMs() - startedAtMs
    ports.telemetry.record({ kind: 'request_answered', method, route, status, ms })
    if (hasOwnLine(request, target.url, status)) {
      const rounded = Math.round(ms)
      ports.log('http.request', { method, path: route, status, ms: rounded, request: requestId })
    } else {
      ports.log('http.requests_counted', { path: route, status })
    }
    return response
  }
}

/**
 * Whether the access log has a line for the request. What no rate limit bounds is counted, and so is what a rate limit
 * refuses. Only the payment provider gets 200 from the webhook.
 */
function hasOwnLine(request: Request, url: URL | null, status: number): boolean {
  if (status >= 500) return true
  const path = url?.pathname ?? ''
  if (isWebhook(path) && status === 200) return true
  return status !== 429 && !isPreflight(request) && rulesOf(path).policy !== null
}

/** Reads the body of a request that a route takes one from, and null for any other. */
function bodyReader(
  { ports, stopping }: Pick<HttpOptions, 'ports' | 'stopping'>,
  hasPost: (path: string) => boolean,
) {
  const budget = bodyBudget()
  return async (
    request: Request,
    { path, address }: { path: string; address: string | null },
  ): Promise<Buffer | null> => {
    if (request.method !== 'POST' || !hasPost(path)) return null
    if (isWebhook(path)) refuseByHead(ports, request)
    const group = isWebhook(path) ? 'webhook' : 'other'
    const client = networkOf(address, ONE_CLIENT)
    const { bodyBytesMax: bytesMax } = rulesOf(path)
    return readBody(request, { bytesMax, group, client, budget, stopping })
  }
}

function postPaths(routes: readonly { method: string; path: string }[]): string[] {
  return routes.filter(({ method }) => method === 'POST').map(({ path }) => path)
}

/** Whether a path is one of these, in which `:name` stands for a part between slashes. */
function pathMatcher(paths: readonly string[]): (path: string) => boolean {
  const literal = new Set(paths)
  const patterns = paths
    .filter((path) => path.includes(':'))
    .map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`))
  return (path) => literal.has(path) || patterns.some((pattern) => pattern.test(path))
}

/** The request as the routes see it: its body whole and of bounded size, HEAD as GET, its id ours. */
function routedRequest({ request, requestId }: Incoming, url: URL, body: Buffer | null): Request {
  const headers = new Headers(request.headers)
  headers.set(REQUEST_ID, requestId)
  return new Request(`${ROUTED_ORIGIN}${url.pathname}${url.search}`, {
    method: request.method === 'HEAD' ? 'GET' : request.method,
    headers,
    body,
  })
}

/** Makes it when it is first asked for, and from then on gives the same. */
function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function setHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** Ends the connection after a body that is not read: Bun would take the rest of it, however long that is. */
function endWithLongBody(response: Response, { headers }: Request): Response {
  if (mayBeLong(headers)) response.headers.set('Connection', 'close')
  return response
}

async function withoutBody(response: Response): Promise<Response> {
  const { status, headers, body } = response
  if (body) headers.set('Content-Length', String((await response.arrayBuffer()).byteLength))
  return new Response(null, { status, headers })
}

/**
 * The path for the access log: a path of our own, only the folder that it is in, or null. The rest of a path comes from
 * the client, and may contain an address or a token.
 */
function pathForLog(routePaths: readonly string[]): (url: URL | null) => string | null {
  const known = new Set(routePaths)
  return (url) => {
    if (!url) return null
    if (known.has(url.pathname)) return url.pathname
    const [, folder] = url.pathname.split('/', 2)
    return routePaths.some((path) => path.startsWith(`/${folder}/`)) ? `/${folder}/*` : null
  }
}
