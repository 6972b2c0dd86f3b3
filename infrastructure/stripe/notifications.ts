import type Stripe from 'stripe'
import type { Clock, PaymentNotifications } from '../../application/ports.ts'
import { DomainError } from '../../domain/errors.ts'
import { readThinEvent, type TranslateEvent } from './events.ts'
import { loadStripe } from './sdk.ts'
import { readableSignature, TOLERANCE_SECONDS } from './signature-header.ts'

const NO_EVENT = {
  eventId: 'unknown',
  eventType: 'unknown',
  occurredAt: null,
  kind: 'other',
} as const

/** Reads deliveries with a signature by Stripe's scheme, under any of the secrets. */
export function stripeNotifications({
  live,
  webhookSecrets,
  translate,
  clock,
}: {
  live: boolean
  webhookSecrets: readonly string[]
  translate: TranslateEvent
  clock: Clock
}): PaymentNotifications {
  return {
    live,
    checkSignatureHeader(header) {
      if (readableSignature(header, clock.now()) === null)
        throw new DomainError('invalid_signature')
    },
    async verifyEvent({ payload, signature: header }) {
      const now = clock.now()
      const signature = readableSignature(header, now)
      const text = decode(payload)
      if (text === null || signature === null) throw new DomainError('invalid_signature')
      const { webhooks } = await loadStripe()
      const isBySecret = (secret: string) => isSigned(webhooks, { text, signature, secret, now })
      if (!webhookSecrets.some(isBySecret)) throw new DomainError('invalid_signature')
      const value = parseJson(text)
      return translate(value) ?? readThinEvent(value) ?? NO_EVENT
    },
  }
}

/** Null for what is not UTF-8. Any other reading than this strict one gives several payloads the same text. */
function decode(payload: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload)
  } catch {
    return null
  }
}

function isSigned(
  { signature: scheme }: Stripe.Webhooks,
  { text, signature, secret, now }: { text: string; signature: string; secret: string; now: Date },
): boolean {
  try {
    return (
      scheme?.verifyHeader(text, signature, secret, TOLERANCE_SECONDS, CRYPTO, now.getTime()) ===
      true
    )
  } catch {
    // Not only its own error: a header such as `t=1,v1` makes the SDK stumble.
    return false
  }
}

/** What the SDK takes for itself under Bun is WebCrypto, which costs seven times as much for a notification. */
const CRYPTO: Stripe.CryptoProvider = {
  computeHMACSignature: signatureOf,
  computeHMACSignatureAsync: async (payload, secret) => signatureOf(payload, secret),
  computeSHA256Async: async (data) => new Bun.CryptoHasher('sha256').update(data).digest(),
}

function signatureOf(payload: string, secret: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(payload).digest('hex')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
