import Stripe from 'stripe'
import type { Clock, PaymentGateway } from '../../application/ports.ts'
import { DomainError } from '../../domain/errors.ts'
import type { TranslateEvent } from './events.ts'

/** https://docs.stripe.com/webhooks#replay-attacks */
const TOLERANCE_SECONDS = 300

const NO_EVENT = {
  eventId: 'unknown',
  eventType: 'unknown',
  occurredAt: null,
  kind: 'other',
} as const

/** Reads deliveries with a signature by Stripe's scheme, under any of the secrets. */
export function stripeNotifications({
  webhookSecrets,
  translate,
  clock,
}: {
  webhookSecrets: readonly string[]
  translate: TranslateEvent
  clock: Clock
}): PaymentGateway['verifyEvent'] {
  return async ({ payload, signature }) => {
    const text = decode(payload)
    if (text === null || signature === null || !isDated(signature)) {
      throw new DomainError('invalid_signature')
    }
    for (const secret of webhookSecrets) {
      if (await isSigned({ text, signature, secret, now: clock.now() })) {
        return translate(parseJson(text)) ?? NO_EVENT
      }
    }
    throw new DomainError('invalid_signature')
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

/**
 * The SDK never finds a signature stale when its time is no number. https://docs.stripe.com/webhooks#verify-manually
 */
function isDated(signature: string): boolean {
  const times = signature.split(',').filter((item) => item.startsWith('t='))
  return times.length === 1 && times.every((item) => /^t=\d{1,12}$/.test(item))
}

async function isSigned({
  text,
  signature,
  secret,
  now,
}: {
  text: string
  signature: string
  secret: string
  now: Date
}): Promise<boolean> {
  try {
    const verified = await Stripe.webhooks.signature?.verifyHeaderAsync(
      text,
      signature,
      secret,
      TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    )
    return verified === true
  } catch {
    // Not only its own error: a header such as `t=1,v1` makes the SDK stumble.
    return false
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
