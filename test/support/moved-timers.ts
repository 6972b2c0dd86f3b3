import type { Timers } from '../../infrastructure/mail/sending-pace.ts'

/** Timers that stand still until the test moves them. */
export function movedTimers(): Timers & { advance(milliseconds: number): void } {
  let nowMs = 0
  let due: { atMs: number; act: () => void }[] = []
  return {
    monotonicMs: () => nowMs,
    schedule(milliseconds, act) {
      const entry = { atMs: nowMs + milliseconds, act }
      due.push(entry)
      return () => {
        due = due.filter((one) => one !== entry)
      }
    },
    /** Each comes at its own moment, also one that another has set meanwhile. */
    advance(milliseconds) {
      const endMs = nowMs + milliseconds
      for (;;) {
        const [next] = due.toSorted((left, right) => left.atMs - right.atMs)
        if (!next || next.atMs > endMs) break
        due = due.filter((one) => one !== next)
        nowMs = Math.max(nowMs, next.atMs)
        next.act()
      }
      nowMs = endMs
    },
  }
}
