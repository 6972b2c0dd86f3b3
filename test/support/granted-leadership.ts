import type { Leadership } from '../../application/upkeep/leadership.ts'

/** A leadership that the test gives and takes. */
export function grantedLeadership() {
  let granted = Promise.withResolvers<void>()
  let over = new AbortController()
  let hasLapsed = false
  let isWorking = false
  let isGivenBack = false
  const leadership = {
    isLeading: () => isWorking && !hasLapsed && !over.signal.aborted,
    async lead(work, stopping) {
      const stopped = new Promise<void>((resolve) => {
        stopping.addEventListener('abort', () => {
          over.abort()
          resolve()
        })
      })
      for (;;) {
        await Promise.race([granted.promise, stopped])
        if (stopping.aborted) break
        isWorking = true
        await work({
          get aborted() {
            return hasLapsed || over.signal.aborted
          },
          signal: over.signal,
        })
        isWorking = false
        granted = Promise.withResolvers()
        over = new AbortController()
        hasLapsed = false
      }
      isGivenBack = true
    },
    grant: () => granted.resolve(),
    /** The time of the term is over, and no signal has said so. */
    lapse() {
      hasLapsed = true
    },
    /** Resolves when the work of the term has ended. */
    async revoke() {
      over.abort()
      while (isWorking) await Bun.sleep(0)
    },
    isGivenBack: () => isGivenBack,
  } satisfies Leadership & Record<string, unknown>
  return leadership
}
