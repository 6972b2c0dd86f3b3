import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DISPUTE_STATES, type Dispute } from '../../domain/dispute.ts'
import { parseEmail } from '../../domain/email.ts'
import { findGrantChanges, type GrantChange } from '../../domain/grant-change.ts'
import { isActive, type Payment, type PremiumGrant } from '../../domain/premium-grant.ts'
import { REFUND_STATES, type Refund } from '../../domain/refund.ts'
import { NOON } from '../support/fakes.ts'

const email = parseEmail('ada@example.com')
const GIVEN: PremiumGrant = { id: 'grant_1', email, payment: null, revokedAt: null }
const BOUGHT = bought({})
const REFUND: Refund = { id: 're_1', paymentIntentId: 'pi_1', amount: 400, state: 'pending' }
const DISPUTE: Dispute = { id: 'du_1', paymentIntentId: 'pi_1', state: 'open', reportedAt: NOON }

function bought(own: Partial<Payment>, id = 'pur_1'): PremiumGrant {
  const payment = { amountPaid: 400, refunds: [], disputes: [], ...own }
  return { id, email, payment, revokedAt: null }
}

function change(own: Partial<GrantChange>): GrantChange {
  const purchase = { grantId: 'pur_1', email, reason: 'paid', objectId: 'pur_1', isActive: true }
  return { ...purchase, ...own } as GrantChange
}

describe('a change of a grant', () => {
  test.each<[string, PremiumGrant | null, PremiumGrant, Partial<GrantChange>]>([
    ['bought', null, BOUGHT, { reason: 'paid' }],
    ['given by hand', null, GIVEN, { grantId: 'grant_1', reason: 'granted', objectId: 'grant_1' }],
    [
      'refunded',
      BOUGHT,
      bought({ refunds: [REFUND] }),
      { reason: 'refund_pending', objectId: 're_1', isActive: false },
    ],
    [
      'refunded in part',
      BOUGHT,
      bought({ refunds: [{ ...REFUND, amount: 1 }] }),
      { reason: 'refund_pending', objectId: 're_1' },
    ],
    [
      'not refunded after all',
      bought({ refunds: [REFUND] }),
      bought({ refunds: [{ ...REFUND, state: 'failed' }] }),
      { reason: 'refund_failed', objectId: 're_1' },
    ],
    [
      'charged back',
      BOUGHT,
      bought({ disputes: [DISPUTE] }),
      { reason: 'dispute_open', objectId: 'du_1', isActive: false },
    ],
    [
      'won back',
      bought({ disputes: [DISPUTE] }),
      bought({ disputes: [{ ...DISPUTE, state: 'won' }] }),
      { reason: 'dispute_won', objectId: 'du_1' },
    ],
    ['revoked', BOUGHT, { ...BOUGHT, revokedAt: NOON }, { reason: 'revoked', isActive: false }],
  ])('names the one that is %s, why, and what it gives now', (_, before, after, expected) => {
    expect(findGrantChanges(before ? [before] : [], [after])).toEqual([change(expected)])
  })

  test('that comes with facts known before names them all, and what it gives in the end', () => {
    const grant = { ...bought({ refunds: [REFUND], disputes: [DISPUTE] }), revokedAt: NOON }
    const changes = findGrantChanges([], [grant])
    expect(changes.map(({ reason }) => reason)).toEqual([
      'paid',
      'refund_pending',
      'dispute_open',
      'revoked',
    ])
    expect(changes.map((one) => one.isActive)).toEqual([false, false, false, false])
  })

  test('is looked for grant by grant, in their order', () => {
    const other = bought({ refunds: [REFUND] }, 'pur_2')
    const after = [other, GIVEN, { ...BOUGHT, revokedAt: NOON }]
    const changes = findGrantChanges([BOUGHT, GIVEN], after)
    expect(changes.map(({ grantId, reason }) => [grantId, reason])).toEqual([
      ['pur_2', 'paid'],
      ['pur_2', 'refund_pending'],
      ['pur_1', 'revoked'],
    ])
  })

  test('of a verdict is noted each time when it changes to and fro', () => {
    const states = ['open', 'won', 'lost', 'won'] as const
    const grants = states.map((state) => bought({ disputes: [{ ...DISPUTE, state }] }))
    const reasons = grants.flatMap((after, index) =>
      findGrantChanges(grants.slice(Math.max(index - 1, 0), index), [after]).map(
        ({ reason }) => reason,
      ),
    )
    expect(reasons).toEqual(['paid', ...states.map((state) => `dispute_${state}` as const)])
  })
})

type Step =
  | { readonly kind: 'pay' | 'give' | 'revoke'; readonly grant: number }
  | { readonly kind: 'refund' | 'dispute'; readonly grant: number; readonly object: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('pay' as const, 'give' as const, 'revoke' as const),
    grant: fc.nat({ max: 2 }),
  }),
  fc.record({
    kind: fc.constantFrom('refund' as const, 'dispute' as const),
    grant: fc.nat({ max: 2 }),
    object: fc.nat({ max: 1 }),
  }),
)

/** The grants after a step; a step that cannot be taken leaves the very same ones. */
function take(
  grants: readonly PremiumGrant[],
  { kind, grant, ...rest }: Step,
): readonly PremiumGrant[] {
  const id = `pur_${grant}`
  const known = grants.find((one) => one.id === id)
  if (kind === 'pay' || kind === 'give') {
    if (known) return grants
    return [...grants, kind === 'pay' ? bought({}, id) : { ...GIVEN, id }]
  }
  if (!known) return grants
  const moved = move(known, kind, 'object' in rest ? rest.object : 0)
  return moved === known ? grants : grants.map((one) => (one === known ? moved : one))
}

function move(
  grant: PremiumGrant,
  kind: 'revoke' | 'refund' | 'dispute',
  object: number,
): PremiumGrant {
  if (kind === 'revoke') return grant.revokedAt ? grant : { ...grant, revokedAt: NOON }
  if (!grant.payment) return grant
  const { refunds, disputes } = grant.payment
  const payment =
    kind === 'refund'
      ? {
          ...grant.payment,
          refunds: advance(refunds, REFUND_STATES, { ...REFUND, id: `re_${object}` }),
        }
      : {
          ...grant.payment,
          disputes: advance(disputes, DISPUTE_STATES, { ...DISPUTE, id: `du_${object}` }),
        }
  return payment.refunds === refunds && payment.disputes === disputes
    ? grant
    : { ...grant, payment }
}

/** The fact in its first state, or in the one after that which it has; the very same ones where it has the last. */
function advance<State, Fact extends { readonly id: string; readonly state: State }>(
  facts: readonly Fact[],
  states: readonly State[],
  fact: Fact,
): readonly Fact[] {
  const known = facts.find(({ id }) => id === fact.id)
  const state = states[known ? states.indexOf(known.state) + 1 : 0]
  if (state === undefined) return facts
  return [...facts.filter((one) => one !== known), { ...fact, state }]
}

const nameOf = ({ grantId, reason, objectId }: GrantChange) => `${grantId} ${reason} ${objectId}`

describe('any history of grants', () => {
  test('is told fact by fact: each step that brings one is one change, every other none', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let grants: readonly PremiumGrant[] = []
        const told: string[] = []
        for (const one of steps) {
          const after = take(grants, one)
          const changes = findGrantChanges(grants, after)
          expect(changes).toHaveLength(after === grants ? 0 : 1)
          told.push(...changes.map(nameOf))
          grants = after
        }
        expect(new Set(told).size).toBe(told.length)
      }),
    )
  })

  test('says last of each grant whether it gives premium', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let grants: readonly PremiumGrant[] = []
        const last = new Map<string, boolean>()
        for (const one of steps) {
          const after = take(grants, one)
          for (const { grantId, isActive: gives } of findGrantChanges(grants, after)) {
            last.set(grantId, gives)
          }
          grants = after
        }
        expect(last).toEqual(new Map(grants.map((grant) => [grant.id, isActive(grant)])))
      }),
    )
  })

  test('told at once says nothing that was not told step by step, and nothing of what is known', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let grants: readonly PremiumGrant[] = []
        const told = new Set<string>()
        for (const one of steps) {
          const after = take(grants, one)
          for (const name of findGrantChanges(grants, after).map(nameOf)) told.add(name)
          grants = after
        }
        expect(findGrantChanges([], grants).filter((one) => !told.has(nameOf(one)))).toEqual([])
        expect(findGrantChanges(grants, grants)).toEqual([])
      }),
    )
  })
})
