const TICK_MS = 10
/** A tick that comes later than that was held up by the machine. */
const TICK_MAX_MS = 50

/**
 * How long something takes, without the time for which the machine has stopped this process meanwhile. Only for work
 * that waits asynchronously: a call that blocks looks like a process that was stopped.
 */
export async function livedMs(work: () => Promise<unknown>): Promise<number> {
  let lived = 0
  let before = performance.now()
  function tick(): void {
    const now = performance.now()
    lived += Math.min(now - before, TICK_MAX_MS)
    before = now
  }
  const timer = setInterval(tick, TICK_MS)
  try {
    await work()
  } finally {
    clearInterval(timer)
    tick()
  }
  return lived
}

/** How long the processor is at work meanwhile, whatever else it does for others. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
