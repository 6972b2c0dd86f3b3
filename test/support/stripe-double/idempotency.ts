import type { Clock } from '../../../application/ports.ts'
import { DAY_MS } from '../../../domain/duration.ts'
import { newId } from './objects.ts'
import { invalidRequest, Refusal } from './refusal.ts'
import type { Answer, Incoming } from './wire.ts'

const LIFETIME_MS = DAY_MS

type Entry = { readonly request: string; readonly at: number; answer: Answer | null }

/** https://docs.stripe.com/api/idempotent_requests: one key, one effect, one answer, for a day. */
export function idempotencyKeys(clock: Clock) {
  const known = new Map<string, Entry>()

  return {
    /** Throws a `Refusal` while the key is in use, and when it comes back with another request. */
    async once(incoming: Incoming, act: () => Promise<Answer>): Promise<Answer> {
      const key = incoming.headers['idempotency-key']
      if (incoming.method !== 'POST' || key === undefined) return act()
      if (key.length > 255) throw invalidRequest('The idempotency key is too long.')

      const request = `${incoming.path}?${incoming.body}`
      const at = clock.now().getTime()
      const earlier = known.get(key)
      if (earlier && at - earlier.at < LIFETIME_MS) return replay(earlier, request)

      const entry: Entry = { request, at, answer: null }
      known.set(key, entry)
      const answer = await act()
      entry.answer = answer
      // A request that was refused before it was carried out left nothing behind that could be repeated.
      if (answer.status >= 400 && !answer.isExecuted) known.delete(key)
      return answer
    },
  }
}

function replay(earlier: Entry, request: string): Answer {
  if (earlier.request !== request) {
    throw new Refusal(400, {
      type: 'idempotency_error',
      message: 'Keys for idempotent requests can only be used with the parameters of the first.',
    })
  }
  if (!earlier.answer) {
    throw new Refusal(409, {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: 'There is currently another in-progress request using this Idempotent Key.',
    })
  }
  const { headers } = earlier.answer
  return {
    ...earlier.answer,
    headers: {
      ...headers,
      'request-id': newId('req'),
      'original-request': headers['request-id'] ?? '',
      'idempotent-replayed': 'true',
    },
  }
}
