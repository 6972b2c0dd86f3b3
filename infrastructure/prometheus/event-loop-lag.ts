import type { Registry } from 'prom-client'
import { histogram } from './instruments.ts'

/** A delay of a quarter of a second is always measured, a shorter one only by chance. */
const EVERY_MS = 250
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Measures how late a timer is, again and again until `stop`. A request that comes then waits as long. */
export function measureEventLoopLag(
  registry: Registry,
  monotonicMs: () => number,
): { stop: () => void } {
  const lag = histogram(registry, {
    name: 'alibi_event_loop_lag_seconds',
    help: 'How late a timer was that is due four times a second: so long everything else waited.',
    labels: [],
    buckets: BUCKETS,
  })
  let dueAtMs = monotonicMs() + EVERY_MS
  const timer = setInterval(() => {
    const now = monotonicMs()
    lag.observe(Math.max(0, now - dueAtMs) / 1000)
    dueAtMs = now + EVERY_MS
  }, EVERY_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
