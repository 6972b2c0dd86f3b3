import Stripe from 'stripe'
import type { Outcome } from '../../application/doctor/finding.ts'
import { withoutSecrets } from '../../application/error-report.ts'
import { Unavailable } from '../../application/unavailable.ts'

/** The status with which Stripe refuses a key that it does not know. */
export const UNAUTHORIZED_STATUS = 401
const FORBIDDEN = 403

/**
 * The outcome of a question to Stripe, for an operator. Stripe's own words are left out: they may hold a part of the
 * key.
 */
export async function outcomeOf<Value>(asked: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { kind: 'answered', value: await asked }
  } catch (error) {
    const cause = error instanceof Unavailable ? error.cause : error
    if (!(cause instanceof Stripe.errors.StripeError)) {
      return {
        kind: 'unreachable',
        reason: cause instanceof Error ? withoutSecrets(cause.message) : 'an unknown error',
      }
    }
    const { statusCode: status } = cause
    if (status === UNAUTHORIZED_STATUS || status === FORBIDDEN) return { kind: 'refused', status }
    if (status !== undefined) return { kind: 'unreachable', reason: `it answers HTTP ${status}` }
    return { kind: 'unreachable', reason: 'no connection, or an answer that makes no sense' }
  }
}
