import type { SandboxAction, SandboxSession } from '../../application/sandbox-checkout.ts'
import type { Email } from '../../domain/email.ts'
import type { Price, PurchaseId } from '../../domain/order.ts'

type State = SandboxSession['state']

/** A session at the sandbox provider, kept so that a restart of the development server loses none. */
export type SandboxSessionRecord = {
  readonly sessionId: string
  readonly purchaseId: PurchaseId
  readonly customerEmail: Email
  readonly price: Price
  readonly state: State
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
   * Those made no earlier than `since`, newest first, from the one after the session `after`. Empty where `after` is
   * not known.
   */
  list(page: {
    since: Date
    after: string | null
    limit: number
  }): Promise<readonly SandboxSessionRecord[]>
}

const AFTER: Readonly<Record<SandboxAction, { from: readonly State[]; to: State }>> = {
  pay: { from: ['open', 'declined'], to: 'paid' },
  pay_late: { from: ['open', 'declined'], to: 'awaiting_money' },
  decline: { from: ['open', 'declined'], to: 'declined' },
  money_arrives: { from: ['awaiting_money'], to: 'paid' },
  money_bounces: { from: ['awaiting_money'], to: 'failed' },
}

/** What the buyer's or the bank's action leads to. One that does not fit the state returns the record itself. */
export function applyAction(
  record: SandboxSessionRecord,
  action: SandboxAction,
  paymentIntentId: string,
): SandboxSessionRecord {
  const { from, to } = AFTER[action]
  if (!from.includes(record.state)) return record
  return { ...record, state: to, paymentIntentId: record.paymentIntentId ?? paymentIntentId }
}

/** Closes a session to payment. One that can no longer be paid is returned as it is. */
export function expire(record: SandboxSessionRecord): SandboxSessionRecord {
  return isPayable(record) ? { ...record, state: 'expired' } : record
}

/** A session ends by itself when its time is over. */
export function expireWhenDue(record: SandboxSessionRecord, now: Date): SandboxSessionRecord {
  return record.expiresAt <= now ? expire(record) : record
}

/** Whether the buyer is done with the page, with or without success. */
export function isComplete({ state }: SandboxSessionRecord): boolean {
  return state === 'awaiting_money' || state === 'paid' || state === 'failed'
}

function isPayable({ state }: SandboxSessionRecord): boolean {
  return state === 'open' || state === 'declined'
}
