import type { SandboxAction, SandboxSession } from '../../application/ports.ts'
import type { SandboxSessionRecord } from './session.ts'

type State = SandboxSession['state']

const AFTER: Readonly<Record<SandboxAction, { from: readonly State[]; to: State }>> = {
  pay: { from: ['open', 'declined'], to: 'paid' },
  pay_late: { from: ['open', 'declined'], to: 'awaiting_money' },
  decline: { from: ['open', 'declined'], to: 'declined' },
  money_arrives: { from: ['awaiting_money'], to: 'paid' },
  money_bounces: { from: ['awaiting_money'], to: 'failed' },
}

/** What the buyer's or the bank's action leads to. One that does not fit the state returns the record itself. */
export function act(
  record: SandboxSessionRecord,
  action: SandboxAction,
  paymentIntentId: string,
): SandboxSessionRecord {
  const { from, to } = AFTER[action]
  if (!from.includes(record.state)) return record
  return { ...record, state: to, paymentIntentId: record.paymentIntentId ?? paymentIntentId }
}

/** Takes no more money. A session that nobody can pay any more is returned as it is. */
export function expire(record: SandboxSessionRecord): SandboxSessionRecord {
  return isPayable(record) ? { ...record, state: 'expired' } : record
}

/** A session ends by itself when its time is over. */
export function expireWhenDue(record: SandboxSessionRecord, now: Date): SandboxSessionRecord {
  return record.expiresAt <= now ? expire(record) : record
}

/** Whether the buyer is done with the page, whatever became of the money. */
export function isComplete({ state }: SandboxSessionRecord): boolean {
  return state === 'awaiting_money' || state === 'paid' || state === 'failed'
}

function isPayable({ state }: SandboxSessionRecord): boolean {
  return state === 'open' || state === 'declined'
}
