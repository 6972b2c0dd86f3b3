import type { Production } from '../executable/production.ts'
import { buyer, SECRETS } from '../executable/production.ts'
import type { AlibiProcess } from '../service/alibi-process.ts'
import { signedDelivery } from '../stripe/stripe-events.ts'

/** An answer as a client has seen it. */
export type Sample = {
  readonly kind: string
  /** By `performance.now()`. */
  readonly startedAt: number
  readonly tookMs: number
  /** Null where there was no answer. */
  readonly status: number | null
  readonly retryAfter: string | null
  readonly text: string
}

/** What is asked again and again. */
export type Question = {
  readonly kind: string
  /** What it is answered while all is well. */
  readonly status: number
  readonly needsDatabase: boolean
  ask(): Promise<Response>
}

export type SteadyLoad = {
  /** Every answer so far, in the order of their coming. */
  readonly samples: readonly Sample[]
  readonly questions: readonly Question[]
  [Symbol.asyncDispose](): Promise<void>
}

/** So that one client leaves the processor to others. */
const PAUSE_MS = 50

/** Asks each question over and over, by one client each, until it is disposed of. */
export function steadyLoad(questions: readonly Question[]): SteadyLoad {
  const samples: Sample[] = []
  let isOver = false

  async function repeat(question: Question): Promise<void> {
    while (!isOver) {
      samples.push(await take(question))
      await Bun.sleep(PAUSE_MS)
    }
  }

  const clients = questions.map(repeat)
  return {
    samples,
    questions,
    async [Symbol.asyncDispose]() {
      isOver = true
      await Promise.all(clients)
    },
  }
}

/** Asks once. A connection that breaks is an answer, too. */
export async function take({ kind, ask }: Pick<Question, 'kind' | 'ask'>): Promise<Sample> {
  const startedAt = performance.now()
  const tell = (status: number | null, retryAfter: string | null, text: string): Sample => {
    return { kind, startedAt, tookMs: performance.now() - startedAt, status, retryAfter, text }
  }
  try {
    const response = await ask()
    const text = await response.text()
    return tell(response.status, response.headers.get('retry-after'), text)
  } catch (error) {
    return tell(null, null, String(error))
  }
}

/**
 * A customer with a token, one with an open page, strangers, Stripe, and those who watch over the service. All is
 * prepared by one process, and asked of the one at the URL.
 */
export async function mixedQuestions(
  production: Production,
  alibi: AlibiProcess,
): Promise<(url: string) => readonly Question[]> {
  const { double } = production
  const owner = buyer(alibi, production, 'owner@example.com')
  const { token, sessionId } = await owner.buy()
  const guest = buyer(alibi, production, 'guest@example.com')
  await guest.prove()
  await guest.checkOut()
  const paid = double.events.find(({ type }) => type === 'checkout.session.completed')
  if (!paid) throw new Error('the payment made no event')

  return (url) => {
    let strangers = 0

    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(url + path, { headers, redirect: 'manual' })
    const post = (path: string, body: unknown) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const stranger = () => `stranger-${++strangers}@example.com`
    async function notify(): Promise<Response> {
      const secret = SECRETS.STRIPE_WEBHOOK_SECRET
      const { payload, signature } = await signedDelivery(paid!, { secret, at: new Date() })
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
      return fetch(`${url}/webhook/stripe`, { method: 'POST', headers, body: payload })
    }

    const question = (kind: string, status: number, ask: () => Promise<Response>) => {
      const needsDatabase = !['health', 'app', 'docs'].includes(kind)
      return { kind, status, needsDatabase, ask }
    }
    return [
      question('premium', 200, () => get('/premium-reasons', { authorization: `Bearer ${token}` })),
      question('verify-email', 200, () => post('/auth/verify-email', { email: stranger() })),
      question('login', 401, () => post('/auth/login', { email: stranger(), code: '123456' })),
      question('checkout', 200, () => post('/checkout', { email: guest.email })),
      question('webhook', 200, notify),
      question('success', 200, () =>
        get(`/payment/success?session_id=${sessionId}`, { accept: 'text/html' }),
      ),
      question('ready', 200, () => get('/ready')),
      question('health', 200, () => get('/health')),
      question('app', 200, () => get('/app')),
    ]
  }
}
