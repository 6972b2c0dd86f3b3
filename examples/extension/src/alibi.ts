import type { Notice } from './storage.ts'

/** What the service, or the way to it, had against a request. */
export class Problem extends Error {
  override readonly name = 'Problem'

  constructor(
    readonly notice: Notice,
    /** The status of the answer; 0 where there was none. */
    readonly status: number,
  ) {
    super(notice.word)
  }
}

type Request = {
  readonly body?: Readonly<Record<string, string>>
  readonly token?: string | undefined
}

const TIMEOUT_MS = 20_000
const DEFAULT_WAIT_SECONDS = 60

/** The words for what the service answers in `error`. */
const WORDS: Readonly<Record<string, string>> = {
  'Invalid email': 'error_invalid_email',
  'Invalid or expired code': 'error_invalid_code',
  'Invalid or expired token': 'error_session_expired',
  'Missing token': 'error_session_expired',
  'Premium access required': 'error_premium_required',
  'Email not verified': 'error_session_expired',
  'Premium access already active': 'error_premium_active',
  'Payment processing': 'error_payment_processing',
  'Email delivery unavailable': 'error_email_unavailable',
  'Payment provider unavailable': 'error_payment_unavailable',
  'Temporarily unavailable': 'error_unavailable',
}

/** Asks the service. Throws a `Problem` for everything but success. */
export async function ask<Answer>(
  method: 'GET' | 'POST',
  path: string,
  { body, token }: Request = {},
): Promise<Answer> {
  const headers: Record<string, string> = {}
  if (body) headers['content-type'] = 'application/json'
  if (token) headers['authorization'] = `Bearer ${token}`
  const response = await fetch(ALIBI_URL + path, {
    method,
    headers,
    body: body ? JSON.stringify(body) : null,
    credentials: 'omit',
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new Problem({ word: navigator.onLine ? 'error_network' : 'error_offline' }, 0)
  })
  if (!response.ok) throw await refusal(response)
  return response.json().catch(() => {
    throw new Problem({ word: 'error_network' }, 0)
  })
}

async function refusal(response: Response): Promise<Problem> {
  const { status, headers } = response
  if (status === 429) {
    const seconds = Number(headers.get('retry-after')) || DEFAULT_WAIT_SECONDS
    const retryAt = Date.now() + seconds * 1000
    return new Problem({ word: 'error_too_many_requests', retryAt }, status)
  }
  const { error = '' }: { error?: string } = await response.json().catch(() => ({}))
  return new Problem({ word: WORDS[error] ?? 'error_server' }, status)
}
