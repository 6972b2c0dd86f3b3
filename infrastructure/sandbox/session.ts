import type { SandboxSession } from '../../application/ports.ts'
import type { Email } from '../../domain/email.ts'
import type { Price, PurchaseId } from '../../domain/purchase.ts'

/** A session at the sandbox provider, kept so that a restart of the development server loses none. */
export type SandboxSessionRecord = {
  readonly sessionId: string
  readonly purchaseId: PurchaseId
  readonly customerEmail: Email
  readonly price: Price
  readonly state: SandboxSession['state']
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Null until the buyer tried to pay. */
  readonly paymentIntentId: string | null
}

/** Every method is one atomic operation. */
export type SandboxSessionStore = {
  /** Stores the record, or returns the one that the purchase already has. */
  create(record: SandboxSessionRecord): Promise<SandboxSessionRecord>
  find(sessionId: string): Promise<SandboxSessionRecord | null>
  /** Returns what `change` made of it, or null for an unknown session. */
  update(
    sessionId: string,
    change: (record: SandboxSessionRecord) => SandboxSessionRecord,
  ): Promise<SandboxSessionRecord | null>
  /**
   * Those made no earlier than `since`, newest first, from the one after the session `after`. None after one that
   * nobody knows.
   */
  list(page: {
    since: Date
    after: string | null
    limit: number
  }): Promise<readonly SandboxSessionRecord[]>
}
