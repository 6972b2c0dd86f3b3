import { onFirstUse } from '../../application/first-use.ts'
import { networkOf, ONE_CLIENT } from '../../domain/client-network.ts'
import { findListed, isWebhook, PREFLIGHT_RULES, rulesOf } from './paths.ts'
import { dropBody, endsConnection, mayBeLong, readBody } from './request/body/body.ts'
import { bodyBudget } from './request/body/body-budget.ts'
import { clientAddressReader } from './request/client-address.ts'
import { type Exchange, newRequestId, REQUEST_ID, rememberExchange } from './request/exchange.ts'
import type { HttpOptions } from './request/options.ts'
import { rateLimitCounter } from './request/rate-limit.ts'
import { RequestRefused } from './request/refusal.ts'
import {
  hasOneHost,
  NO_TARGET,
  ROUTED_ORIGIN,
  readTarget,
  type SentSegments,
} from './request/target.ts'
import { answerMaker } from './response/answer-maker.ts'
import { answerPreflight, isPreflight } from './response/cors.ts'
import { answerError } from './response/errors.ts'
import { browserAnswers } from './routes/browser-answers.ts'
import { answersFromMemory } from './routes/from-memory.ts'
import { refuseByHead } from './routes/webhook-failure.ts'

/**
 * Answers every request. `peerAddress` returns null where it did not come over the network. `sent` is how the path was
 * sent where the request says it otherwise.
 */
export type Handler = (
  request: Request,
  peerAddress: () => string | null,
  sent?: SentSegments,
) => Response | Promise<Response>

// Why: docs/decisions.md#our-own-wrapper-around-the-routes
/** The routes, and around them everything that all answers share: limits, identification, headers, the access log. */
export function createHandler(options: HttpOptions, app = lateApp(options)): Handler {
  const { ports, monotonicMs, stopping } = options
  const answers = answerMaker(options)
  const browserAnswer = browserAnswers(ports)
  const clientAddress = clientAddressReader(options.isTrustedProxy, ports.log)
  const rateLimits = rateLimitCounter(options)
  const findKnown = answersFromMemory(ports)
  const bodyOf = bodyReader(
    options,
    onFirstUse(() => pathMatcher(postPaths(app().routes))),
  )
  const report = reporter(
    ports,
    onFirstUse(() => app().routes.map(({ path }) => path)),
  )

  function begin(
    request: Request,
    peerAddress: () => string | null,
    sent?: SentSegments,
  ): Exchange {
    const target = hasOneHost(request.headers) ? readTarget(request.url, sent) : NO_TARGET
    const isQuestion = target !== NO_TARGET && isPreflight(request)
    const exchange: Exchange = {
      request,
      target,
      isPreflight: isQuestion,
      rules: isQuestion ? PREFLIGHT_RULES : rulesOf(target.path),
      requestId: newRequestId(),
      clientAddress: onFirstUse(() => clientAddress(request, peerAddress())),
      readBody: request.method === 'POST' ? onFirstUse(() => bodyOf(exchange)) : noBody,
      tokenReading: undefined,
      rateLimit: null,
      isTurnedAway: false,
    }
    return exchange
  }

  function answerAtOnce(exchange: Exchange): Response | null {
    if (mayBeLong(exchange.request.headers)) return null
    try {
      const known = findKnown(exchange)
      const isCounted = known && rateLimits.countAtOnce(exchange, known.email)
      return isCounted ? answers.json(exchange, known.make()) : null
    } catch (error) {
      return refuse(exchange, error)
    }
  }

  async function answer(exchange: Exchange): Promise<Response> {
    const { request, target, isPreflight, readBody } = exchange
    if (isPreflight) return answerPreflight(options, request)
    try {
      await rateLimits.count(exchange)
      if (target.refusal !== null) throw new RequestRefused(target.refusal)
      const known = findKnown(exchange)
      if (known) return answers.json(exchange, known.make())
      if (request.method === 'POST') await readBody()
      return await app().fetch(routedRequest(exchange))
    } catch (error) {
      return refuse(exchange, error)
    }
  }

  function refuse(exchange: Exchange, error: unknown): Response {
    exchange.isTurnedAway = error instanceof RequestRefused
    return answers.error(exchange, answerError(ports, error, exchange.requestId))
  }

  /** The answer with all that it lacks. Those in JSON have their headers already. */
  function complete(exchange: Exchange, answered: Response): Response {
    const { headers } = exchange.request
    const response = browserAnswer(exchange, answered)
    if (!response.headers.has(REQUEST_ID)) answers.complete(exchange, response)
    if (mayBeLong(headers) && endsConnection(headers)) response.headers.set('Connection', 'close')
    return response
  }

  async function answerInTime(exchange: Exchange, startedAtMs: number): Promise<Response> {
    const { request } = exchange
    const response = complete(exchange, await answer(exchange))
    report(exchange, response.status, monotonicMs() - startedAtMs)
    if (mayBeLong(request.headers)) await dropBody(request, stopping)
    return request.method === 'HEAD' ? withoutBody(response) : response
  }

  return (request, peerAddress, sent) => {
    const startedAtMs = monotonicMs()
    const exchange = begin(request, peerAddress, sent)
    const response = answerAtOnce(exchange)
    if (!response) return answerInTime(exchange, startedAtMs)
    report(exchange, response.status, monotonicMs() - startedAtMs)
    return response
  }
}

/** The app, made at the first call: a start would have to wait for it and its libraries. */
export function lateApp(options: HttpOptions): () => App {
  return onFirstUse(() => router().createApp(options))
}

type App = ReturnType<typeof import('./app.ts').createApp>

// biome-ignore lint/style/noCommonJs: only this loads a module late without making its reader wait
const router = (): typeof import('./app.ts') => require('./app.ts')

/** Counts and logs how a request was answered. */
function reporter(
  { log, telemetry }: Pick<HttpOptions['ports'], 'log' | 'telemetry'>,
  routePaths: () => readonly string[],
): (exchange: Exchange, status: number, ms: number) => void {
  const pathForLog = loggedPaths(routePaths)
  return (exchange, status, ms) => {
    const { method } = exchange.request
    const path = pathForLog(exchange.target.path)
    telemetry.record({ kind: 'request_answered', method, route: path, status, ms })
    if (hasOwnLine(exchange, status)) {
      log('http.request', { method, path, status, ms: Math.round(ms), request: exchange.requestId })
    } else {
      log('http.requests_counted', { path, status })
    }
  }
}

/**
 * Whether the access log has a line for the request. What no rate limit bounds is counted, and so is what a rate limit
 * refuses, and a body that is refused: a client can have any number of them. Only the payment provider gets 200 from
 * the webhook.
 */
function hasOwnLine({ target, rules, isTurnedAway }: Exchange, status: number): boolean {
  if (status >= 500) return !isTurnedAway
  if (rules.policy === null) return status === 200 && isWebhook(target.path)
  return status !== 429
}

/** Reads the body of a request that a route takes one from, and null for any other. */
function bodyReader(
  { ports, stopping }: Pick<HttpOptions, 'ports' | 'stopping'>,
  postMatcher: () => (path: string) => boolean,
) {
  const budget = bodyBudget()
  return async (exchange: Exchange): Promise<Buffer | null> => {
    const { request, target, rules } = exchange
    if (request.method !== 'POST' || !postMatcher()(target.path)) return null
    if (isWebhook(target.path)) refuseByHead(ports, request)
    const group = isWebhook(target.path) ? 'webhook' : 'other'
    const client = networkOf(exchange.clientAddress(), ONE_CLIENT)
    const { bodyBytesMax: bytesMax } = rules
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

/** The request as it came where the routes read the same out of it, else one that says it plainly. HEAD is GET. */
function routedRequest(exchange: Exchange): Request {
  const { request, target } = exchange
  const { method, headers } = request
  if (target.isPlain && method !== 'HEAD') {
    rememberExchange(request, exchange)
    return request
  }
  const routed = new Request(`${ROUTED_ORIGIN}${target.path}${target.search}`, {
    method: method === 'HEAD' ? 'GET' : method,
    headers,
  })
  rememberExchange(routed, exchange)
  return routed
}

async function noBody(): Promise<null> {
  return null
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
function loggedPaths(routePaths: () => readonly string[]): (path: string) => string | null {
  const known = onFirstUse(() => new Set(routePaths()))
  return (path) => {
    if (findListed(path) !== undefined || known().has(path)) return path
    const [, folder] = path.split('/', 2)
    return routePaths().some((one) => one.startsWith(`/${folder}/`)) ? `/${folder}/*` : null
  }
}
