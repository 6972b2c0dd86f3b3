import type { Counted } from '../domain/budget.ts'
import type { Dispute } from '../domain/dispute.ts'
import type { Email } from '../domain/email.ts'
import type { ErasedEmailDigest } from '../domain/erasure.ts'
import type { AuditEntry, Origin } from '../domain/grant-change.ts'
import type { LedgerRecord } from '../domain/ledger.ts'
import type { Epoch } from '../domain/log-out.ts'
import type { Price, PurchaseId } from '../domain/order.ts'
import type { Otp } from '../domain/otp.ts'
import type { OutboxKey, OutboxKind, OutboxMessage } from '../domain/outbox.ts'
import type { PremiumGrant, Reversals } from '../domain/premium-grant.ts'
import type { Purchase, PurchaseState } from '../domain/purchase.ts'
import type { Refund } from '../domain/refund.ts'
import type { PrunedKind } from '../domain/retention.ts'
import type { SenderKind } from '../domain/sender.ts'
import type { Verification } from '../domain/verification.ts'
import type { AccessRepository } from './access-repository.ts'
import type { OtpRepository } from './otp-repository.ts'
import type { Statistics } from './statistics.ts'

// Every method is one atomic operation: it happens whole or not at all, it is durable once its promise resolves, and no
// other writer comes between what it reads and what it writes. Where `change` throws, nothing is stored and the error
// passes through. Every method throws `Unavailable('storage')` when the database does not answer.

/** At most one verification per address: the latest. */
export type VerificationRepository = {
  findByEmail(email: Email): Promise<Verification | null>
}

/**
 * Everything an address has bought or tried to buy, oldest first, every grant it has, what it got back, and whether it
 * is verified.
 */
export type Account = Reversals & {
  readonly purchases: readonly Purchase[]
  readonly grants: readonly PremiumGrant[]
  readonly verification: Verification | null
}

// A method that can change a grant takes the origin of the change. It writes both to the audit trail in the same
// transaction.

/** Never holds two open purchases of one address, nor one session under two purchases. */
export type PurchaseRepository = {
  /**
   * Stores the purchase that `change` returns, new or changed, and with it the messages that follow from it; null
   * stores no purchase. A message whose key is known already is left as it is.
   */
  update<Result extends { purchase: Purchase | null; messages?: readonly OutboxMessage[] }>(
    email: Email,
    origin: Origin,
    change: (account: Account) => Result,
  ): Promise<Result>
  /** As `update`, for the address that the purchase has by then: it may be erased. Null for an unknown id. */
  updateById<Result extends { purchase: Purchase | null; messages?: readonly OutboxMessage[] }>(
    id: PurchaseId,
    origin: Origin,
    change: (account: Account, purchase: Purchase) => Result,
  ): Promise<Result | null>
  findAccount(email: Email): Promise<Account>
  /** That of the address that the purchase has by then. Null for an unknown id. */
  findAccountByPurchase(id: PurchaseId): Promise<Account | null>
  findById(id: PurchaseId): Promise<Purchase | null>
  findBySessionId(sessionId: string): Promise<Purchase | null>
  findByPaymentIntentId(paymentIntentId: string): Promise<Purchase | null>
  /** Whether a purchase was made at this price, in this mode. One that is in review for its `order` does not count. */
  isAskedPrice(price: Price, mode: { live: boolean }): Promise<boolean>
  /** Those in any of the states, by id, from the one after `after`. Ids ascend with the time of their making. */
  list(page: {
    states: readonly PurchaseState[]
    after: PurchaseId | null
    limit: number
  }): Promise<readonly Purchase[]>
}

/** A grant, and since when: from its payment, or from the operator's word. */
export type DatedGrant = PremiumGrant & { readonly since: Date }

/** A paid purchase is a grant; refunds and disputes join it by payment intent, whichever was known first. */
export type PremiumGrantRepository = {
  findByEmail(email: Email): Promise<readonly PremiumGrant[]>
  /** Gives an address premium by an operator's word, at the moment that `origin` names. */
  add(grant: { id: string; email: Email }, origin: Origin): Promise<void>
  /** Revokes every grant the address has now, and says how many. A purchase paid later is a new grant. */
  revokeAll(email: Email, origin: Origin): Promise<number>
  /** Those of all addresses, oldest first, from the one after `after`, by the moment and then by the id. */
  list(page: {
    after: Pick<DatedGrant, 'since' | 'id'> | null
    limit: number
  }): Promise<readonly DatedGrant[]>
}

/** Facts about money, by the provider's object id. The purchase that they belong to may not be known (yet). */
type ReversalRepository<Reversal extends Refund | Dispute> = {
  /** Changes all of the reported ones or none, and returns how many of them changed their state. */
  update<Reported extends Pick<Reversal, 'id' | 'paymentIntentId'>>(
    reported: readonly Reported[],
    origin: Origin,
    change: (known: Reversal | null, reported: Reported) => Reversal,
  ): Promise<number>
  findById(id: string): Promise<Reversal | null>
  /** The payments of purchases of ours with a refund that is on its way, or with a dispute without a verdict. */
  findPendingPayments(): Promise<readonly string[]>
}

export type RefundRepository = ReversalRepository<Refund>
export type DisputeRepository = ReversalRepository<Dispute>

/** Every change of a grant, as it happened. Entries are only added; see `PersonalData` and `Retention` for the rest. */
export type AuditTrail = {
  /** Oldest first. */
  findByEmail(email: Email): Promise<readonly AuditEntry[]>
}

/** The kinds of records that are compared with one another, in the order in which an audit reads them. */
export const LEDGER_PARTS = [
  'purchases',
  'operator_grants',
  'refunds',
  'disputes',
  'messages',
  'audit_entries',
] as const
export type LedgerPart = (typeof LEDGER_PARTS)[number]

/** All records of money and access, together with those that each of them has to fit. Only reads. */
export type Ledger = {
  /**
   * Since when the audit trail and the outbox are kept: since they were made, or since the first entry where that is
   * older, as in a copy of another database.
   */
  findBeginning(): Promise<Date>
  /**
   * Those after `after`, in the order of their ids. A record and what belongs to it are of one moment; two pages are
   * not. Of purchases only the paid ones.
   */
  list(
    part: LedgerPart,
    page: { after: LedgerRecord['id'] | null; limit: number },
  ): Promise<readonly LedgerRecord[]>
}

/** The messages that wait to be carried out by a provider. A message is stored together with its purchase. */
export type OutboxRepository = {
  /**
   * Takes the message of these kinds that has been due for the longest, and stores it as `begin` leaves it, so that no
   * other process takes it as well. Null when none is due. A message is also due when it would have to wait longer than
   * any wait lasts: then the clock has been set back.
   */
  takeDue(
    due: { kinds: readonly OutboxKind[]; now: Date },
    begin: (message: OutboxMessage) => OutboxMessage,
  ): Promise<OutboxMessage | null>
  /** Null for an unknown key. */
  update(
    key: OutboxKey,
    change: (message: OutboxMessage) => OutboxMessage,
  ): Promise<OutboxMessage | null>
  findByPurchase(id: PurchaseId): Promise<readonly OutboxMessage[]>
}

/** The ways through the records of payments, in the order in which they run. */
export const SWEEP_NAMES = [
  'open_purchases',
  'completed_sessions',
  'undelivered_notifications',
  'refunds',
  'disputes',
] as const
export type SweepName = (typeof SWEEP_NAMES)[number]

/** What keeps the time of its last run: a sweep, or the audit of what is stored. */
export type RunName = SweepName | 'audit'

/** When the last finished run of each began. */
export type SweepRepository = {
  findLastRun(run: RunName): Promise<Date | null>
  recordRun(run: RunName, startedAt: Date): Promise<void>
}

/** The epochs of log-outs; see domain/log-out.ts. What they decide, `AccessRepository` tells. */
export type LogOutRepository = {
  /** Stores what `change` makes of the database's epoch, the latest of all, as that and as the address's own. */
  update(email: Email, change: (epoch: Epoch) => Epoch): Promise<void>
}

export type OfSender<Fact> = Fact & { readonly sender: SenderKind }

/** All that is stored about an address, but for the seeds of codes, and the digests of mailboxes and browsers. */
export type PersonalRecords = Reversals & {
  /** Those that were mailed last, whether they still live or not. */
  readonly codes: readonly OfSender<Omit<Otp, 'seed'>>[]
  readonly codeMails: readonly OfSender<Counted>[]
  readonly wrongTries: readonly OfSender<Counted>[]
  readonly verification: Omit<Verification, 'codeChallenge' | 'epoch'> | null
  /** The epoch of the latest log-out, as a moment: that of the log-out, where no clock was ahead until then. */
  readonly logOutLineAt: Date | null
  readonly purchases: readonly Purchase[]
  readonly grants: readonly DatedGrant[]
  readonly messages: readonly OutboxMessage[]
  readonly audit: readonly AuditEntry[]
  readonly sandboxSessions: readonly SandboxPayment[]
}

/** The sandbox provider's own memory of a payment page. */
type SandboxPayment = {
  readonly sessionId: string
  readonly purchaseId: PurchaseId
  readonly price: Price
  readonly state: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly paymentIntentId: string | null
}

/** How many records of an erased address stay, under another name. */
export type KeptRecords = {
  readonly purchases: number
  readonly operatorGrants: number
  readonly refunds: number
  readonly disputes: number
  readonly messages: number
  readonly auditEntries: number
  readonly sandboxSessions: number
}

/** What an erasure leaves: purchases as they are from now on, and the epoch before which tokens are void. */
type ErasedAccount = { readonly closed: readonly Purchase[]; readonly epoch: Epoch }

export type PersonalData = {
  /** As it is at one moment. */
  find(email: Email): Promise<PersonalRecords>
  /**
   * Removes the address from everything stored. Stores what `decide` returns, revokes every grant, deletes records
   * about the address alone, puts `name` in its place in all others, and stores the epoch, under each of `digests` and
   * as that of the database. Null, with nothing changed, where `decide` returns null. Afterwards no file of a SQLite
   * database contains the address; while another process reads an older state, the write-ahead log has it until SQLite
   * restarts that log. A PostgreSQL gets rid of what was deleted in its own time.
   */
  erase(
    email: Email,
    erasure: { name: Email; digests: readonly ErasedEmailDigest[]; origin: Origin },
    decide: (account: Account, epoch: Epoch) => ErasedAccount | null,
  ): Promise<KeptRecords | null>
}

export type Retention = {
  /**
   * Deletes at most `limit` records that have been of no use since `upTo` or longer, and returns how many; see
   * domain/retention.ts. Messages that were given up, and purchases of an erased address, stay. Once log-outs are
   * deleted, the tokens of every address from before the latest of them are void. Foreign reversals count by payment,
   * and stay while a purchase is open that was made before `upTo`.
   */
  prune(kind: PrunedKind, batch: { upTo: Date; limit: number }): Promise<number>
}

export type DatabaseHealth = {
  /** Throws `Unavailable('storage')` unless the database answers, and its files are still in their place. */
  check(): Promise<void>
  /** As `check`; also throws unless a commit succeeds within two seconds, and the disk has room for more. */
  checkWritable(): Promise<void>
  /** Whether the last write failed, so that the database is worth a check. */
  lastWriteFailed(): boolean
}

export type Store = {
  readonly otps: OtpRepository
  readonly verifications: VerificationRepository
  readonly purchases: PurchaseRepository
  readonly premiumGrants: PremiumGrantRepository
  readonly refunds: RefundRepository
  readonly disputes: DisputeRepository
  readonly auditTrail: AuditTrail
  readonly ledger: Ledger
  readonly outbox: OutboxRepository
  readonly sweeps: SweepRepository
  readonly logOuts: LogOutRepository
  readonly access: AccessRepository
  readonly personalData: PersonalData
  readonly retention: Retention
  readonly databaseHealth: DatabaseHealth
  readonly statistics: Statistics
}
