import { SKEW_MAX_MS } from '../../domain/clock-skew.ts'
import { type Finding, findingsOn } from './finding.ts'

export type ClockFacts =
  /** How much this machine's clock is ahead of another's. */
  | { readonly kind: 'compared'; readonly aheadMs: number; readonly host: string }
  /** No other clock was asked, or none answered: what the system says of its own clock. */
  | { readonly kind: 'system'; readonly isSynchronized: boolean | null; readonly reason: string }

const WARNING_MS = 30_000

const SYNCHRONIZE = 'let it be synchronised, such as with "timedatectl set-ntp true"'

export function checkClock(facts: ClockFacts): readonly Finding[] {
  const { ok, skipped, warning, failed } = findingsOn('clock')
  if (facts.kind === 'system') {
    const { isSynchronized, reason } = facts
    if (isSynchronized === null) return [skipped(`not compared: ${reason}`)]
    return isSynchronized
      ? [ok(`synchronised, as the system says (not compared: ${reason})`)]
      : [warning(`not synchronised, as the system says (not compared: ${reason})`, SYNCHRONIZE)]
  }

  const { aheadMs, host } = facts
  const offMs = Math.abs(aheadMs)
  // The Date header counts whole seconds, and takes time to arrive.
  if (offMs < 2_000) return [ok(`right, as ${host} tells the time`)]
  const off = `${describeSpan(offMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} ${host}`
  if (offMs > SKEW_MAX_MS) return [failed(`${off}: ${effectOf(aheadMs)}`, SYNCHRONIZE)]
  return offMs > WARNING_MS ? [warning(off, SYNCHRONIZE)] : [ok(off)]
}

/** Pages have a little more than the 30 minutes that Stripe wants, and notifications are refused after five. */
function effectOf(aheadMs: number): string {
  return aheadMs > 0
    ? 'notifications look old, and codes and tokens of now do not count once it is right'
    : 'payment pages look too short to Stripe, which refuses them'
}

function describeSpan(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
