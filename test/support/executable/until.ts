const PATIENCE_MS = 20_000
const LOOK_EVERY_MS = 2

/** Resolves once the condition holds, which another process brings about. Throws when that takes too long. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const startedAt = performance.now()
  while (!(await holds())) {
    if (performance.now() - startedAt > patienceMs) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(LOOK_EVERY_MS)
  }
}
