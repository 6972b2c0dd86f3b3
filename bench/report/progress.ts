const WIDTH = 100

/** Shows on the terminal how far a long step is, on one line. Where there is no terminal, a line at begin and end. */
export function progress(task: string): (share: number) => void {
  const startedAt = performance.now()
  let shown = -1
  return (share) => {
    const percent = Math.floor(100 * share)
    if (percent === shown || (!process.stderr.isTTY && percent > 0 && percent < 100)) return
    shown = percent
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const text = `${task}: ${percent} %, ${seconds} s`.padEnd(WIDTH)
    process.stderr.write(process.stderr.isTTY && percent < 100 ? `\r${text}` : `\r${text}\n`)
  }
}
