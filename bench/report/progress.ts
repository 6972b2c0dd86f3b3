const WIDTH = 80
/** How often a log without a terminal says how far it is. */
const QUIET_MS = 10_000

/** Tells how far a long step is: on one line of a terminal, else with a line now and then, and one at the end. */
export function progress(task: string): (share: number) => void {
  const startedAt = performance.now()
  const { isTTY } = process.stderr
  let toldAt = startedAt
  return (share) => {
    const now = performance.now()
    const isEnd = share >= 1
    if (!isEnd && !isTTY && now - toldAt < QUIET_MS) return
    toldAt = now
    const seconds = Math.round((now - startedAt) / 1000)
    const text = `${task}: ${Math.floor(100 * share)} %, ${seconds} s`
    process.stderr.write(isTTY ? `\r${text.padEnd(WIDTH)}${isEnd ? '\n' : ''}` : `${text}\n`)
  }
}
