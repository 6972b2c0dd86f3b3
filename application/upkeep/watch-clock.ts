import { SECOND_MS } from '../../domain/duration.ts'
import type { Ports } from '../ports.ts'

/** Far from what clocks differ by that are synchronised, and less than what counts as being from the future. */
const FAR_MS = 30 * SECOND_MS

/** What the service's clock was found to be, which is another one than the machine's. */
export type ClockMeasurement = {
  /** By how much it had to jump, forwards or, below zero, backwards; nearly always zero. */
  readonly jumpMs: number
  /** By how much the machine's clock is ahead of it; below zero where that one is behind. */
  readonly machineAheadMs: number
}

/**
 * Measures the service's clock at every call. Logs each jump, and once when the machine's clock is far from it, and
 * once when that is over. Throws what `measureClock` throws.
 */
export function watchClock({
  measureClock,
  log,
}: Pick<Ports, 'log'> & { measureClock: () => Promise<ClockMeasurement> }): () => Promise<void> {
  let wasFar = false

  return async () => {
    const { jumpMs, machineAheadMs } = await measureClock()
    if (jumpMs !== 0) log('clock.jumped', { jumpMs })
    const isFar = Math.abs(machineAheadMs) > FAR_MS
    if (isFar && !wasFar) log('clock.far', { machineAheadMs })
    else if (wasFar && !isFar) log('clock.near', { machineAheadMs })
    wasFar = isFar
  }
}
