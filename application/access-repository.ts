import type { Email } from '../domain/email.ts'
import type { ErasedEmailDigest } from '../domain/erasure.ts'
import type { Epoch } from '../domain/log-out.ts'
import type { GrantFacts } from '../domain/premium-grant.ts'

/** All that is stored of an address that decides whether it gets in. Whether it does, the domain judges each time. */
export type AccessFacts = {
  /** Those of its paid purchases and those by an operator's word, in no particular order. */
  readonly grants: readonly GrantFacts[]
  /**
   * The latest of the address's own epochs of a log-out, those that its erasures left, and the one of all addresses.
   * Null where there is none.
   */
  readonly loggedOutIn: Epoch | null
  /** That of the database. */
  readonly epoch: Epoch
}

export type AccessRepository = {
  /**
   * The facts of one moment after the call: whatever anybody had committed before it is in them. `digests` gives those
   * that stand for the address once it is erased, the same ones each time; it is asked only where they are needed.
   */
  findByEmail(email: Email, digests: () => readonly ErasedEmailDigest[]): Promise<AccessFacts>
  /** What `findByEmail` would give, where it is in memory; null where it is not. Left out where none is kept. */
  recall?(email: Email): AccessFacts | null
}
