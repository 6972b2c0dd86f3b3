import type { Timers } from '../../../infrastructure/mail/sending-pace.ts'
import { turn } from '../stopped-timers.ts'

type Due = { readonly at: number; readonly act: () => void }

/**
 * Time that passes only as the program says. Work under way gets as far as it can without time before any passes, also
 * where it computes outside of the event loop, as signatures do.
 */
export function virtualTime(start: Date) {
  let nowMs = start.getTime()
  let working = 0
  let waiting = 0
  let due: Due[] = []

  /** Lets everything run until all that is under way waits for time. */
  async function settle(): Promise<void> {
    do await turn()
    while (working > waiting)
  }

  const timers: Timers = {
    monotonicMs: () => nowMs,
    schedule(milliseconds, act) {
      const one = { at: nowMs + milliseconds, act }
      due.push(one)
      return () => {
        due = due.filter((other) => other !== one)
      }
    },
  }

  return {
    clock: { now: () => new Date(nowMs) },
    timers,
    /** Begins work that is not waited for. */
    begin(work: () => Promise<void>): void {
      working++
      void work().finally(() => working--)
    },
    /** A part of such work that may go on only after some time. */
    async whileWaiting<Result>(part: Promise<Result>): Promise<Result> {
      waiting++
      try {
        return await part
      } finally {
        waiting--
      }
    },
    async moveTo(at: number): Promise<void> {
      for (;;) {
        await settle()
        const next = due.filter((one) => one.at <= at).toSorted((a, b) => a.at - b.at)[0]
        if (!next) break
        due = due.filter((one) => one !== next)
        nowMs = Math.max(nowMs, next.at)
        next.act()
      }
      nowMs = Math.max(nowMs, at)
    },
  }
}

export type VirtualTime = ReturnType<typeof virtualTime>
