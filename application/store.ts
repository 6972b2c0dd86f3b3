import type { Email } from '../domain/email.ts'
import type { AuditEntry, Cause } from '../domain/grant-change.ts'
import type { OtpRecord } from '../domain/otp.ts'
import type { OutboxKey, OutboxKind, OutboxMessage } from '../domain/outbox.ts'
import type { Dispute, PremiumGrant, Refund, Reversals } from '../domain/premium-grant.ts'
import type { Purchase, PurchaseId, PurchaseState } from '../domain/purchase.ts'
import type { Verification } from '../domain/verification.ts'

// Every method is one atomic operation: it happens whole or not at all, is durable once its promise resolves, and no
// other writer comes between what it reads and what it writes. Where `change` throws, nothing is stored and the error
// passes through. All of them throw `Unavailable('storage')` when the database does not answer.

/** At most one record per address; an address nobody knows has the empty one. */
export type OtpRepository = {
  /** Stores the record and, where the code that was spent proved the address, its verification: both or neither. */
  update<Result extends { record: OtpRecord; verification?: Verification | null }>(
    email: Email,
    change: (record: OtpRecord) => Result,
  ): Promise<Result>
}

/** At most one verification per address: the latest. */
export type VerificationRepository = {
  findByEmail(email: Email): Promise<Verification | null>
}

/** Everything an address has bought or tried to buy, oldest first, every grant it has, and what it got back. */
export type Account = Reversals & {
  readonly purchases: readonly Purchase[]
  readonly grants: readonly PremiumGrant[]
}

// What can change a grant takes its cause, and writes both to the audit trail in the same transaction.

/** Never holds two open purchases of one address, nor one session under two purchases. */
export type PurchaseRepository = {
  /**
   * Stores the purchase that `change` returns, new or changed, and with it the messages that follow from it; null
   * stores no purchase. A message whose key is known already is left as it is.
   */
  update<Result extends { purchase: Purchase | null; messages?: readonly OutboxMessage[] }>(
    email: Email,
    cause: Cause,
    change: (account: Account) => Result,
  ): Promise<Result>
  findAccount(email: Email): Promise<Account>
  findById(id: PurchaseId): Promise<Purchase | null>
  findBySessionId(sessionId: string): Promise<Purchase | null>
  findByPaymentIntentId(paymentIntentId: string): Promise<Purchase | null>
  /** Those in any of the states, by id, from the one after `after`. Ids ascend with the time of their making. */
  list(page: {
    states: readonly PurchaseState[]
    after: PurchaseId | null
    limit: number
  }): Promise<readonly Purchase[]>
}

/** A paid purchase is a grant; refunds and disputes join it by payment intent, whichever was known first. */
export type PremiumGrantRepository = {
  findByEmail(email: Email): Promise<readonly PremiumGrant[]>
  /** Gives an address premium by an operator's word, at the moment of the cause. */
  add(grant: { id: string; email: Email }, cause: Cause): Promise<void>
  /** Revokes every grant the address has now, and says how many. A purchase paid later is a new grant. */
  revokeAll(email: Email, cause: Cause): Promise<number>
}

/** Facts about money, by the provider's object id, also about money that is not (or not yet) known to be ours. */
export type RefundRepository = {
  /** Changes what is known of each reported one, of all of them or of none, and says of how many the state was news. */
  update<Reported extends { readonly id: string }>(
    reported: readonly Reported[],
    cause: Cause,
    change: (known: Refund | null, reported: Reported) => Refund,
  ): Promise<number>
  findById(id: string): Promise<Refund | null>
  /** The payments of purchases of ours of which a refund is still on its way. */
  findPendingPayments(): Promise<readonly string[]>
}

export type DisputeRepository = {
  /** As the refunds' own. */
  update<Reported extends { readonly id: string }>(
    reported: readonly Reported[],
    cause: Cause,
    change: (known: Dispute | null, reported: Reported) => Dispute,
  ): Promise<number>
  findById(id: string): Promise<Dispute | null>
  /** The payments of purchases of ours on which a dispute without a verdict hangs. */
  findPendingPayments(): Promise<readonly string[]>
}

/** Every change of a grant, as it happened. Entries are only ever added. */
export type AuditTrail = {
  /** Oldest first. */
  findByEmail(email: Email): Promise<readonly AuditEntry[]>
}

/** What waits to be carried out outside. Messages come in together with their purchase. */
export type OutboxRepository = {
  /**
   * Takes the message of these kinds that has been due for the longest, as `begin` leaves it, so that nobody else takes
   * it as well. Null when none is due. One that is due later than any wait lasts was put off by a clock that has been
   * set back since: it is due, too.
   */
  takeDue(
    due: { kinds: readonly OutboxKind[]; now: Date },
    begin: (message: OutboxMessage) => OutboxMessage,
  ): Promise<OutboxMessage | null>
  /** Null for a key that nobody knows. */
  update(
    key: OutboxKey,
    change: (message: OutboxMessage) => OutboxMessage,
  ): Promise<OutboxMessage | null>
  findByPurchase(id: PurchaseId): Promise<readonly OutboxMessage[]>
}

/** The ways through the provider's records, in the order in which they are gone. */
export const SWEEP_NAMES = [
  'open_purchases',
  'completed_sessions',
  'undelivered_notifications',
  'refunds',
  'disputes',
] as const
export type SweepName = (typeof SWEEP_NAMES)[number]

/** When the last finished run of each sweep began. */
export type SweepRepository = {
  findLastRun(sweep: SweepName): Promise<Date | null>
  recordRun(sweep: SweepName, startedAt: Date): Promise<void>
}

/** The line in time before which an address's tokens are void; see domain/log-out.ts. */
export type LogOutRepository = {
  findByEmail(email: Email): Promise<Date | null>
  update(email: Email, change: (lineAt: Date | null) => Date): Promise<void>
}

export type DatabaseHealth = {
  /** Throws `Unavailable('storage')` unless the database answers. */
  check(): Promise<void>
}

export type Store = {
  readonly otps: OtpRepository
  readonly verifications: VerificationRepository
  readonly purchases: PurchaseRepository
  readonly premiumGrants: PremiumGrantRepository
  readonly refunds: RefundRepository
  readonly disputes: DisputeRepository
  readonly auditTrail: AuditTrail
  readonly outbox: OutboxRepository
  readonly sweeps: SweepRepository
  readonly logOuts: LogOutRepository
  readonly databaseHealth: DatabaseHealth
}
