import { MINUTE_MS } from '../../domain/duration.ts'
import { type Finding, findingsOn } from './finding.ts'

export type ClockFacts =
  /** How much this machine's clock is ahead of another's. */
  | { readonly kind: 'compared'; readonly aheadMs: number; readonly host: string }
  /** No other clock was asked, or none answered: what the system says of its own clock. */
  | { readonly kind: 'system'; readonly isSynchronized: boolean | null; readonly reason: string }

const WARNING_MS = 30_000
/** Signatures of notifications are refused when they are five minutes old. */
const FAILED_MS = 4 * MINUTE_MS

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
  if (offMs > FAILED_MS) {
    return [
      failed(`${off}: notifications look forged, and codes and tokens end wrong`, SYNCHRONIZE),
    ]
  }
  return offMs > WARNING_MS ? [warning(off, SYNCHRONIZE)] : [ok(off)]
}

function describeSpan(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
