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

export function secondsUntil(moment: number): number {
  return (moment - Date.now()) / TICK_MS
}
