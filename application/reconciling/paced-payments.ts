import { SECOND_MS } from '../../domain/duration.ts'
import type { PaymentCalls } from '../ports.ts'

/**
 * In a test mode Stripe takes 25 calls a second, buyers' included: https://docs.stripe.com/rate-limits. What is sent
 * apart may arrive closer together, so that these stay below 20 in any second. Whole milliseconds add up exactly.
 */
const CALL_EVERY_MS = Math.ceil(SECOND_MS / 19)

/** Lets the caller go on when it is its turn. */
export type Pace = () => Promise<void>

/** Turns come evenly, in the order in which they are asked for, and none is saved up. */
export function callPace({
  monotonicMs,
  wait,
}: {
  /** Milliseconds that pass evenly, even where the clock is set. */
  monotonicMs: () => number
  /** Resolves after so many milliseconds. */
  wait: (milliseconds: number) => Promise<void>
}): Pace {
  let nextMs = Number.NEGATIVE_INFINITY
  return async () => {
    const nowMs = monotonicMs()
    const turnMs = Math.max(nowMs, nextMs)
    nextMs = turnMs + CALL_EVERY_MS
    if (turnMs > nowMs) await wait(turnMs - nowMs)
  }
}

/** The same calls, each at the pace. */
export function pacedPayments(payments: PaymentCalls, pace: Pace): PaymentCalls {
  const calls = Object.entries(payments).map(([name, call]) => [
    name,
    async (...args: unknown[]) => {
      await pace()
      return Reflect.apply(call, payments, args)
    },
  ])
  return Object.fromEntries(calls)
}
