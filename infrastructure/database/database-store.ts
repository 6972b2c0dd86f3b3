import type { Store } from '../../application/store.ts'
import type { SandboxSessionStore } from '../sandbox/session.ts'

/** All that the service keeps in a database of any kind. */
export type DatabaseStore = Store & {
  readonly sandboxSessions: SandboxSessionStore
  /** Never throws, and may be called again. From then on every method throws `Unavailable('storage')`. */
  close(): void
}
