import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type Stripe from 'stripe'
import { onceAsked } from '../../application/first-use.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { WRONG_MODE_CODES } from './answers.ts'
import { UnusablePrice } from './prices.ts'
import { loadStripe } from './sdk.ts'

/**
 * Puts a question to Stripe and gives it up after `timeoutMs`, the SDK's retries included. Throws
 * `Unavailable('payment')` for any error of the question and for every answer that is not Stripe's own.
 */
type AskStripe = <Answer>(question: (stripe: Stripe) => Promise<Answer>) => Promise<Answer>

const KEY_SETTING = 'STRIPE_SECRET_KEY'
const RETRIES_MAX = 2

type Settings = {
  readonly secretKey: string
  /** Null for Stripe's own. */
  readonly apiUrl: string | null
  readonly timeoutMs: number
}

export function stripeClient({ secretKey, apiUrl, timeoutMs }: Settings): AskStripe {
  // The SDK's own timeout starts again with every retry. Questions share a client, and each has terms of its own.
  const terms = new AsyncLocalStorage<Terms>()
  const openClient = onceAsked(async () => {
    const sdk = await loadStripe()
    return new sdk(secretKey, {
      ...(apiUrl === null ? {} : addressOf(apiUrl)),
      httpClient: sdk.createFetchHttpClient(fetchWithin(terms)),
      maxNetworkRetries: RETRIES_MAX,
      timeout: timeoutMs,
      telemetry: false,
    })
  })
  return async (question) => {
    const [sdk, stripe] = [await loadStripe(), await openClient()]
    const deadline = new AbortController()
    const { promise: tooLate, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const timeout = new Error(`no answer after ${timeoutMs} ms`)
      // Rejects before the request is aborted, so that the cause is the timeout and not the error of the abort.
      reject(timeout)
      deadline.abort(timeout)
    }, timeoutMs)

    try {
      const own = { deadline: deadline.signal, waitLeftMs: timeoutMs }
      return await Promise.race([terms.run(own, () => question(stripe)), tooLate])
    } catch (error) {
      const isPriceUnusable = error instanceof UnusablePrice
      throw new Unavailable('payment', {
        cause: error,
        answered: isPriceUnusable || isRefusal(error, sdk),
        setting: isPriceUnusable ? error.setting : isKeyRefused(error, sdk) ? KEY_SETTING : null,
        isPriceUnusable,
      })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** When a question ends, and for how long it may still wait for a turn at Stripe. */
type Terms = { readonly deadline: AbortSignal; waitLeftMs: number }

function addressOf(apiUrl: string) {
  const { protocol, hostname, port } = new URL(apiUrl)
  const isPlain = protocol === 'http:'
  return {
    protocol: isPlain ? ('http' as const) : ('https' as const),
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
  }
}

/**
 * A fetch that follows no redirect, so that neither key nor address of a buyer goes anywhere else. After a 429 it waits
 * for the time in Retry-After and asks again, as long as the terms leave time to wait. The SDK does not do that.
 */
function fetchWithin(termsOfQuestion: AsyncLocalStorage<Terms>): typeof fetch {
  async function fetchAnswer(...[address, init]: Parameters<typeof fetch>): Promise<Response> {
    const terms = termsOfQuestion.getStore()
    if (!terms) throw new Error('Stripe is asked outside of a question')
    const signals = init?.signal ? [init.signal, terms.deadline] : [terms.deadline]
    const signal = AbortSignal.any(signals)
    for (let retriesLeft = RETRIES_MAX; ; retriesLeft--) {
      const response = await fetch(address, { ...init, redirect: 'manual', signal })
      const text = await response.text()
      const waitMs = retryAfterMs(response)
      if (retriesLeft === 0 || waitMs === null || waitMs >= terms.waitLeftMs) {
        // JSON that is no object makes the SDK throw where no caller can catch it; other text is only an error.
        return new Response(isObjectText(text) ? text : '', {
          status: response.status,
          headers: response.headers,
        })
      }
      terms.waitLeftMs -= waitMs
      await wait(waitMs, undefined, { signal })
    }
  }
  return Object.assign(fetchAnswer, { preconnect: fetch.preconnect })
}

/** Null unless there were too many requests, and the answer says for how many seconds to send none. */
function retryAfterMs({ status, headers }: Response): number | null {
  const seconds = headers.get('retry-after') ?? ''
  return status === TOO_MANY_REQUESTS && /^\d{1,5}$/.test(seconds) ? Number(seconds) * 1000 : null
}

function isObjectText(text: string): boolean {
  return text.trimStart().startsWith('{')
}

const STRIPE_ERROR_TYPES: readonly unknown[] = [
  'api_error',
  'authentication_error',
  'card_error',
  'idempotency_error',
  'invalid_request_error',
]
const UNAUTHORIZED = 401
const FORBIDDEN = 403
const CONFLICT = 409
const TOO_MANY_REQUESTS = 429

/** Whether Stripe itself refused for good, in words of its own; https://docs.stripe.com/api/errors. */
function isRefusal(error: unknown, sdk: typeof Stripe): error is Stripe.errors.StripeError {
  if (!(error instanceof sdk.errors.StripeError)) return false
  if (!STRIPE_ERROR_TYPES.includes(error.rawType)) return false
  const { statusCode, code } = error
  // The same request may still be under way, or was turned away before Stripe looked at it.
  if (statusCode === CONFLICT || statusCode === TOO_MANY_REQUESTS || code === 'rate_limit') {
    return false
  }
  return statusCode !== undefined && statusCode >= 400
}

/** A key that is wrong, that may not do this, or that is of the wrong mode stays so until an operator replaces it. */
function isKeyRefused(error: unknown, sdk: typeof Stripe): boolean {
  if (!isRefusal(error, sdk)) return false
  const { statusCode, code } = error
  return statusCode === UNAUTHORIZED || statusCode === FORBIDDEN || WRONG_MODE_CODES.includes(code)
}
