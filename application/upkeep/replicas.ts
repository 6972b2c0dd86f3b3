import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts'

/** How often a process that serves says that it lives. */
export const SIGN_EVERY_MS = 10 * SECOND_MS
/** Whoever has said nothing for so long counts as gone. */
export const GONE_AFTER_MS = MINUTE_MS

/** A process that serves. */
export type Replica = {
  /** Of chance: it says nothing of the machine. */
  readonly id: string
  readonly version: string
  readonly startedAt: Date
}

/** The processes that serve on one database, which keeps them, by its clock. All throw `Unavailable('storage')`. */
export type Replicas = {
  /** Says that this process lives. */
  signOfLife(): Promise<void>
  /** This process no longer serves. */
  leave(): Promise<void>
  /** Those that live, this process among them, the oldest first. */
  findLive(): Promise<readonly Replica[]>
}
