import { describe, expect, test } from 'bun:test'
import { orderingsOf } from '../support/orderings.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import {
  type Fleet,
  hasPremium,
  openFleet,
  openPage,
  severalAtOnce,
} from '../support/replicas/fleet.ts'
import type { StripeEvent } from '../support/stripe/stripe-events.ts'

const BUYERS_AT_ONCE = 4
const PART = 100

type Verdict = 'won' | 'lost'
const VERDICTS: readonly Verdict[] = ['won', 'lost']

/** What has happened to the payment of a session: it came, a part went back, and the bank has taken the rest. */
function eventsOf({ double }: Fleet, sessionId: string, verdict: Verdict): readonly StripeEvent[] {
  const paid = double.pay(sessionId)
  const refunded = double.refund(sessionId, { amount: PART })
  const disputed = double.dispute(sessionId, 'chargeback')
  const disputeId = [...double.disputes.keys()].at(-1)!
  const closed = double.closeDispute(disputeId, verdict)
  return [
    ['checkout.session.completed', paid],
    ['refund.created', refunded],
    ['charge.dispute.created', disputed],
    ['charge.dispute.closed', closed],
  ].map(([type, events]) => (events as StripeEvent[]).find((event) => event.type === type)!)
}

/** All that has to be the same whatever the order was. */
async function endOf(fleet: Fleet, email: string) {
  const purchases = await fleet.rows(
    `SELECT id, state, amount_paid, is_duplicate, payment_intent_id FROM purchases
      WHERE email = '${email}'`,
  )
  const intents = purchases.map((one) => `'${one['payment_intent_id']}'`).join()
  const [last] = await fleet.rows(
    `SELECT is_active FROM audit_entries WHERE email = '${email}' ORDER BY id DESC LIMIT 1`,
  )
  const paid = await fleet.rows(
    `SELECT FROM audit_entries WHERE email = '${email}' AND reason = 'paid'`,
  )
  return {
    premium: await Promise.all(fleet.replicas.map((alibi) => hasPremium(alibi, email))),
    purchases: purchases.map(({ state, amount_paid, is_duplicate }) => ({
      state,
      amount_paid,
      is_duplicate,
    })),
    refunds: await fleet.rows(
      `SELECT amount, state FROM refunds WHERE payment_intent_id IN (${intents})`,
    ),
    disputes: await fleet.rows(
      `SELECT state FROM disputes WHERE payment_intent_id IN (${intents})`,
    ),
    lastAudited: last?.['is_active'],
    timesPaid: paid.length,
  }
}

describe.if(hasPostgres())('a payment, a refund of a part and a chargeback', () => {
  test('that are told of to two replicas at once, in every order, end as they do one after the other', async () => {
    await using fleet = await openFleet({ replicas: 2 })
    const buyers = VERDICTS.flatMap((verdict) =>
      orderingsOf([0, 1, 2, 3]).map((order) => ({ verdict, order })),
    )
    const told = new Map<Verdict, Awaited<ReturnType<typeof endOf>>>()
    for (const verdict of VERDICTS) {
      const email = `${verdict}@example.com`
      const sessionId = await openPage(fleet, email)
      for (const event of eventsOf(fleet, sessionId, verdict)) {
        expect(await fleet.deliver(fleet.inTurn(0), event)).toBe(200)
      }
      told.set(verdict, await endOf(fleet, email))
    }
    expect(told.get('won')).toMatchObject({ premium: [true, true], lastAudited: true })
    expect(told.get('lost')).toMatchObject({ premium: [false, false], lastAudited: false })

    let deliveries = 0
    await severalAtOnce(buyers.length, BUYERS_AT_ONCE, async (number) => {
      const { verdict, order } = buyers[number]!
      const email = `buyer-${number}@example.com`
      const events = eventsOf(fleet, await openPage(fleet, email, number), verdict)
      // Each comes to both of them, to one right after the one before it and to the other in the opposite order.
      const racing = order.flatMap((index, position) => [
        fleet.deliver(fleet.inTurn(position), events[index]!),
        fleet.deliver(fleet.inTurn(position + 1), events[order[order.length - 1 - position]!]!),
      ])
      const statuses = await Promise.all(racing)
      expect(new Set(statuses)).toEqual(new Set([200]))
      deliveries += statuses.length

      expect({ order, ...(await endOf(fleet, email)) }).toEqual({ order, ...told.get(verdict)! })
    })
    await fleet.carriedOut()
    const mails = fleet.confirmations().map(({ to }) => to)
    expect(new Set(mails).size).toBe(mails.length)
    console.log(
      `payments told of with a refund and a chargeback over two processes: ${buyers.length} buyers, ${deliveries} deliveries, 0 wrong ends`,
    )
  })
})
