import { PATIENCE_MS } from '../patience.ts'

const LOOK_EVERY_MS = 2

/** Resolves once the condition holds, which another process brings about. Throws when it hangs. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  while (!(await holds())) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(LOOK_EVERY_MS)
  }
}
