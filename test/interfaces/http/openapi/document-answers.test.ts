import { afterEach, describe, expect, test } from 'bun:test'
import type { RateLimiter } from '../../../../application/ports.ts'
import { Unavailable } from '../../../../application/unavailable.ts'
import type { Language } from '../../../../domain/language.ts'
import { type Listener, listen } from '../../../../interfaces/http/listen.ts'
import { resolve } from '../../../support/answers/answer-check.ts'
import { DOCUMENT } from '../../../support/answers/checked-answers.ts'
import {
  type Attempt,
  prepareAttempt,
  SPOILERS,
  sendAttempt,
} from '../../../support/http/api-attempts.ts'
import { type Answered, countingLimiter, openHttp } from '../../../support/http/http-client.ts'

type Endpoint = { readonly operationId: string; readonly method: string; readonly path: string }
type Given = Pick<Answered, 'status' | 'body'>

/** Operations that succeed only, or also, where the address has premium. */
const FOR_PREMIUM = ['issueToken', 'requestOtp', 'logIn', 'pickReason', 'readStrings']

const described = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId, responses }]) => {
    const endpoint: Endpoint = { operationId, path, method: method.toUpperCase() }
    return Object.entries(responses).map(([status, response]) => ({
      endpoint,
      status: Number(status),
      content: resolve(DOCUMENT, response).content ?? {},
    }))
  }),
)

/** One line for each error that each operation can answer with. */
const errors = described.flatMap(({ endpoint, status, content }) =>
  Object.entries(content['application/json']?.examples ?? {}).map(
    ([name, { value }]) => [endpoint.operationId, status, name, { endpoint, value }] as const,
  ),
)

/** One line for each status with which each operation answers something else. */
const others = described
  .filter(({ status, content }) => status < 400 || 'text/html' in content)
  .map(({ endpoint, status }) => [endpoint.operationId, status, endpoint] as const)

const opened: Listener[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.stop()))
})

// Each of these answers is checked against the document on its way; see checked-answers.ts.
describe('an answer that the OpenAPI document describes is really given:', () => {
  test.each(errors)('%s answers %i with %s', async (_, status, name, { endpoint, value }) => {
    const produce = SERVICE_WIDE[name] ?? produceSpoiled
    const answer = await produce(endpoint, name)
    expect(answer.status).toBe(status)
    // The message of a fault names its request.
    expect(answer.body).toMatchObject(status === 500 ? { error: 'Internal server error' } : value)
  })

  test.each(others)('%s answers %i', async (operationId, status, endpoint) => {
    const attempt = await prepare(operationId)
    await PAGE_SPOILERS[`${operationId} ${status}`]?.(attempt, endpoint)
    if (status !== 200) expect(PAGE_SPOILERS).toContainKey(`${operationId} ${status}`)
    expect((await sendAttempt(attempt, endpoint)).status).toBe(status)
  })

  test('and to HEAD as to GET', async () => {
    for (const [operationId, status, endpoint] of others) {
      if (endpoint.method !== 'GET' || status !== 200) continue
      const attempt = await prepare(operationId)
      const answer = await sendAttempt(attempt, { ...endpoint, method: 'HEAD' })
      expect(answer).toMatchObject({ status, text: '' })
    }
  })

  test.each([
    ['EndpointNotFound', 'GET', '/nowhere', 404],
    ['EndpointNotFoundUnlimited', 'POST', '/health', 404],
    ['EndpointNotFoundDeprecated', 'GET', '/auth/login', 404],
    ['Preflight', 'OPTIONS', '/auth/login', 204],
  ])('%s where no operation is', async (name, method, path, status) => {
    expect(DOCUMENT.components.responses).toContainKey(name)
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
    const http = openHttp({ limiters: LIMITS })
    expect((await http.send(method, path, { headers })).status).toBe(status)
  })
})

const LIMITS = {
  general: countingLimiter(1000),
  auth: countingLimiter(1000),
  premium: countingLimiter(1000),
}
const NOTHING = {
  general: countingLimiter(0),
  auth: countingLimiter(0),
  premium: countingLimiter(0),
}

/** Errors that have nothing to do with what is asked for. */
const SERVICE_WIDE: Readonly<Record<string, (endpoint: Endpoint) => Promise<Given>>> = {
  TooManyRequests: ({ method, path }) => openHttp({ limiters: NOTHING }).send(method, path),
  // What is said before there is anyone to answer.
  TemporarilyUnavailable: (endpoint) => ask(open(), endpoint),
  async InternalServerError(endpoint) {
    const listener = open()
    listener.use(async () => {
      throw new Error('broken')
    })
    return ask(listener, endpoint)
  },
}

async function produceSpoiled(endpoint: Endpoint, name: string): Promise<Given> {
  const hasPremium = !/^(?:PremiumAccessRequired|PaymentProcessing)/.test(name)
  const attempt = await prepare(endpoint.operationId, hasPremium)
  const spoilers: typeof SPOILERS = { ...SPOILERS, EndpointNotFound: unlist }
  expect(spoilers).toContainKey(name)
  await spoilers[name]?.(attempt)
  return sendAttempt(attempt, endpoint)
}

/** As where search engines are not to list the page: then there is no sitemap. */
function unlist(attempt: Attempt): void {
  attempt.http = openHttp({ isIndexed: false }, attempt.http.ports)
}

/** How the pages come to their other statuses. */
const PAGE_SPOILERS: Readonly<
  Record<string, (attempt: Attempt, endpoint: Endpoint) => void | Promise<void>>
> = {
  'showPayment 400'(attempt) {
    attempt.query = ''
  },
  'showPayment 404'(attempt) {
    attempt.query = '?session_id=cs_unknown'
  },
  'showPayment 503'({ http }) {
    http.ports.payments.outage = true
  },
  'showPayment 429': exhaust,
  'showPayment 500': breakOnce,
  'showCancellation 429': exhaust,
  'showCancellation 500': breakOnce,
  'showCancellation 503': (attempt) => {
    const general = brokenLimiter()
    attempt.headers['accept'] = 'text/html'
    attempt.http = openHttp({ limiters: { ...LIMITS, general } }, attempt.http.ports)
  },
  'readStatus 303'({ headers }) {
    headers['accept'] = 'text/html'
  },
  'readSitemap 404'(attempt) {
    attempt.headers['accept'] = 'text/html'
    unlist(attempt)
  },
  'showApp 304': knowPage,
  'readRobots 304': knowPage,
  'readSitemap 304': knowPage,
  'showReference 304': knowPage,
  'readOpenApi 304': knowPage,
}

/** A browser that shows what it gets, after too many requests. */
function exhaust(attempt: Attempt): void {
  attempt.headers['accept'] = 'text/html'
  attempt.http = openHttp({ limiters: NOTHING }, attempt.http.ports)
}

/** One whose database is out of reach. */
function brokenLimiter(): RateLimiter {
  const take = () => Promise.reject(new Unavailable('storage', { cause: new Error('down') }))
  return { limit: 1, windowMs: 1000, take }
}

/** The page cannot be made, but the error page can. */
function breakOnce({ http, headers }: Attempt): void {
  headers['accept'] = 'text/html'
  const { content } = http.ports
  let isBroken = true
  Object.assign(http.ports, {
    content: {
      ...content,
      in(language: Language) {
        if (!isBroken) return content.in(language)
        isBroken = false
        throw new Error('broken')
      },
    },
  })
}

async function knowPage(attempt: Attempt, endpoint: Endpoint): Promise<void> {
  const page = await sendAttempt(attempt, endpoint)
  attempt.headers['if-none-match'] = page.header('etag') ?? ''
}

function prepare(operationId: string, hasPremium = true): Promise<Attempt> {
  return prepareAttempt(operationId, {
    hasPremium: hasPremium && FOR_PREMIUM.includes(operationId),
  })
}

function open(): Listener {
  const listener = listen({ host: '127.0.0.1', port: 0 })
  opened.push(listener)
  return listener
}

async function ask({ url }: Listener, { method, path }: Endpoint): Promise<Given> {
  const response = await fetch(url + path, { method })
  return { status: response.status, body: await response.json() }
}
