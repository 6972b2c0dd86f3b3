import { PATIENCE_MS } from '../patience.ts'

/** Soon at first, and then at ease: what is waited for needs the processor, too. */
const [LOOK_AFTER_MS, LOOK_EVERY_MS] = [2, 50]

/** Resolves once the condition holds, which another process brings about. Throws when it hangs. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  for (let pauseMs = LOOK_AFTER_MS; !(await holds()); pauseMs *= 1.25) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(Math.min(pauseMs, LOOK_EVERY_MS))
  }
}
