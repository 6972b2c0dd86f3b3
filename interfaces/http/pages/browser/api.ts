import type { StringKey } from '../../../../application/content/strings.ts'

/** Why something did not work, as the page says it. */
export class Problem extends Error {
  override readonly name = 'Problem'

  constructor(
    readonly word: StringKey,
    readonly details: {
      /** When to come back, in milliseconds since 1970. */
      readonly retryAt?: number
      /** How many more requests of the kind the service takes before it says 429. */
      readonly remaining?: number
      /** How many tries the code has left, as far as the page knows. */
      readonly triesLeft?: number
      readonly requestId?: string | null
      /** Whether the same may work at once. */
      readonly mayRetry?: boolean
    } = {},
  ) {
    super(word)
  }

  /** Whether the person has to prove the address again. */
  get needsProof(): boolean {
    return NEEDING_PROOF.includes(this.word)
  }

  /** Whether the service may have carried out the request. */
  get isUnanswered(): boolean {
    return this.word === 'error_network' || this.word === 'error_timeout'
  }
}

const NEEDING_PROOF: readonly StringKey[] = [
  'error_session_expired',
  'error_premium_required',
  'error_email_not_verified',
  'error_premium_active',
]

type Request = {
  readonly body?: Readonly<Record<string, unknown>>
  readonly token?: string | null
}

const TIMEOUT_MS = 20_000
const DEFAULT_WAIT_SECONDS = 60

/** A client of the API on the page's own host. Throws a `Problem` for everything but success. */
export function apiClient(problems: Readonly<Record<string, StringKey>>) {
  const pending = new Set<AbortController>()

  async function call<Answer>(
    method: 'GET' | 'POST',
    path: string,
    { body, token }: Request = {},
  ): Promise<Answer> {
    const controller = new AbortController()
    pending.add(controller)
    let isTimeout = false
    const timer = setTimeout(() => {
      isTimeout = true
      controller.abort()
    }, TIMEOUT_MS)
    try {
      const response = await fetch(path, {
        method,
        headers: {
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: controller.signal,
      })
      if (!response.ok) throw await refusal(response)
      return await response.json()
    } catch (error) {
      if (error instanceof Problem) throw error
      throw new Problem(isTimeout ? 'error_timeout' : 'error_network', { mayRetry: true })
    } finally {
      clearTimeout(timer)
      pending.delete(controller)
    }
  }

  async function refusal(response: Response): Promise<Problem> {
    const { headers, status } = response
    const { error = '' }: { error?: string } = await response.json().catch(() => ({}))
    const word = status === 429 ? 'error_too_many_requests' : problems[error]
    return new Problem(word ?? 'error_server', {
      ...(status === 429 ? { retryAt: inSeconds(headers.get('retry-after')) } : {}),
      ...rateLimitOf(headers.get('ratelimit')),
      ...(status >= 500 ? { mayRetry: true, requestId: headers.get('x-request-id') } : {}),
    })
  }

  return {
    call,
    /** The answers are not needed any more. */
    abort() {
      for (const controller of pending) controller.abort()
    },
  }
}

/** A `RateLimit` field: `"auth";r=0;t=873`. Once no request remains, `retryAt` says when to come back. */
function rateLimitOf(field: string | null): { remaining?: number; retryAt?: number } {
  const [, remaining, seconds = null] = /;r=(\d+);t=(\d+)/.exec(field ?? '') ?? []
  if (remaining === undefined) return {}
  return Number(remaining) > 0
    ? { remaining: Number(remaining) }
    : { remaining: 0, retryAt: inSeconds(seconds) }
}

function inSeconds(seconds: string | null): number {
  return Date.now() + (Number(seconds) || DEFAULT_WAIT_SECONDS) * 1000
}
