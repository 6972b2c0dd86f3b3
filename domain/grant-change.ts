import type { DisputeState } from './dispute.ts'
import type { Email } from './email.ts'
import { isActive, type PremiumGrant } from './premium-grant.ts'
import type { RefundState } from './refund.ts'

/** Who makes a change. */
export const ACTORS = ['webhook', 'page', 'checkout', 'reconciler', 'outbox', 'operator'] as const
export type Actor = (typeof ACTORS)[number]

/** When something was changed, by which actor, and from which source, such as an event of the provider. */
export type Origin = {
  readonly at: Date
  readonly by: Actor
  readonly source: string | null
}

export type GrantChangeReason =
  | 'paid'
  | 'granted'
  | 'revoked'
  | `refund_${RefundState}`
  | `dispute_${DisputeState}`

/** One new fact about a grant, and whether the grant gives premium from then on. */
export type GrantChange = {
  readonly grantId: string
  readonly email: Email
  readonly reason: GrantChangeReason
  /** The purchase, operator's grant, refund or dispute that the fact is about. */
  readonly objectId: string
  readonly isActive: boolean
}

/** A change as the audit trail stores it. */
export type AuditEntry = GrantChange & Origin

/** What is new in `after`, in the order of the grants. Facts are never taken back, so `after` lacks none of them. */
export function findGrantChanges(
  before: readonly PremiumGrant[],
  after: readonly PremiumGrant[],
): readonly GrantChange[] {
  return after.flatMap((grant) => {
    const known = before.find(({ id }) => id === grant.id) ?? null
    return newFacts(known, grant).map((fact) => ({
      grantId: grant.id,
      email: grant.email,
      ...fact,
      isActive: isActive(grant),
    }))
  })
}

type Fact = Pick<GrantChange, 'reason' | 'objectId'>

function newFacts(known: PremiumGrant | null, grant: PremiumGrant): readonly Fact[] {
  const facts = factsOf(grant)
  const old = known ? factsOf(known) : []
  return facts.filter(
    (fact) =>
      !old.some(({ reason, objectId }) => reason === fact.reason && objectId === fact.objectId),
  )
}

function factsOf({ id, payment, revokedAt }: PremiumGrant): readonly Fact[] {
  return [
    { reason: payment ? 'paid' : 'granted', objectId: id },
    ...(payment?.refunds ?? []).map((one) => fact(`refund_${one.state}`, one.id)),
    ...(payment?.disputes ?? []).map((one) => fact(`dispute_${one.state}`, one.id)),
    ...(revokedAt ? [fact('revoked', id)] : []),
  ]
}

function fact(reason: GrantChangeReason, objectId: string): Fact {
  return { reason, objectId }
}
