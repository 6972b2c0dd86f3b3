const TICK_MS = 1000

/** Calls `tick` every second until the moment has come, and then `done`. One at a time. */
export function countdown({ tick, done }: { tick: () => void; done: () => void }) {
  let timer: ReturnType<typeof setInterval> | undefined
  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    stop,
    /** `until` is in milliseconds since 1970. */
    start(until: number) {
      stop()
      timer = setInterval(() => {
        if (Date.now() < until) {
          tick()
          return
        }
        stop()
        done()
      }, TICK_MS)
    },
  }
}

/** The seconds until a moment, at most as many as there are now: a clock that is set back makes no wait longer. */
export function secondsUntil(moment: number): () => number {
  const left = () => (moment - Date.now()) / TICK_MS
  const most = left()
  return () => Math.min(most, left())
}
