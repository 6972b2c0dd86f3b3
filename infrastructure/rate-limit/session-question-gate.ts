import type { SessionQuestions } from '../../application/ports.ts'
import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts'

const A_SECOND_MAX = 5

/**
 * Lets one question in a minute through for each session, and five in any second for all of them. Remembers what it let
 * through for a minute: no more than 300 ids.
 */
export function sessionQuestionGate({
  monotonicMs,
}: {
  monotonicMs: () => number
}): SessionQuestions {
  // In the order of the questions, each with its moment.
  const asked = new Map<string, number>()

  return {
    take(sessionId) {
      const now = monotonicMs()
      for (const [id, at] of asked) {
        if (now - at < MINUTE_MS) break
        asked.delete(id)
      }
      if (asked.has(sessionId)) return false
      const latest = [...asked.values()].at(-A_SECOND_MAX)
      if (latest !== undefined && now - latest < SECOND_MS) return false
      asked.set(sessionId, now)
      return true
    },
  }
}
