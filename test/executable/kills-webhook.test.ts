import { expect, test } from 'bun:test'
import { after, killInLanes, type Lane, some, spread } from '../support/executable/kill-lane.ts'
import type { StripeEvent } from '../support/stripe/stripe-events.ts'

const LIST_REFUNDS = 'GET /v1/refunds'

/** What happens at Stripe, whether the buyer has premium once that is known, and how its record is found. */
type Story = {
  readonly premium: boolean
  readonly record: string
  tell(lane: Lane, email: string): Promise<StripeEvent>
}

/** Kills some time after the event was sent. Resolves with what Stripe was answered: null for nothing. */
type Kill = (
  lane: Lane,
  deliver: () => Promise<number | null>,
  kill: () => Promise<string>,
) => Promise<{ status: number | null; left: string }>

const paid: Story = {
  premium: true,
  record: "SELECT 1 FROM purchases WHERE email = ? AND state = 'paid'",
  async tell({ production: { double }, buyerOf }, email) {
    const { sessionId } = await buyerOf(email).checkOut()
    return double.pay(sessionId).at(-1)!
  },
}

/** A full refund of which only the hint comes, so that Stripe is asked which refunds there are. */
const refundHint: Story = {
  premium: false,
  record: recordOf('refunds'),
  tell: (lane, email) =>
    afterBuying(lane, email, (sessionId) => lane.production.double.refund(sessionId).at(-1)!),
}

const refunded: Story = {
  premium: false,
  record: recordOf('refunds'),
  tell: (lane, email) =>
    afterBuying(lane, email, (sessionId) => lane.production.double.refund(sessionId)[0]!),
}

const chargedBack: Story = {
  premium: false,
  record: recordOf('disputes'),
  tell: (lane, email) =>
    afterBuying(
      lane,
      email,
      (sessionId) => lane.production.double.dispute(sessionId, 'chargeback')[0]!,
    ),
}

function recordOf(table: 'refunds' | 'disputes'): string {
  return `SELECT 1 FROM ${table} JOIN purchases USING (payment_intent_id) WHERE purchases.email = ?`
}

async function afterBuying(
  lane: Lane,
  email: string,
  act: (sessionId: string) => StripeEvent,
): Promise<StripeEvent> {
  const { double } = lane.production
  const { sessionId } = await lane.buyerOf(email).checkOut()
  double.pay(sessionId)
  await double.deliverAll()
  return act(sessionId)
}

function atMoment(milliseconds: number): Kill {
  return async (lane, deliver, kill) => {
    lane.count('at any moment')
    const delivery = deliver()
    await after(milliseconds)
    const left = await kill()
    return { status: await delivery, left }
  }
}

const afterTheAnswer: Kill = async (lane, deliver, kill) => {
  lane.count('after the answer')
  const status = await deliver()
  expect(status).toBe(200)
  return { status, left: await kill() }
}

const whileStripeIsAsked: Kill = async (lane, deliver, kill) => {
  const { double, asked } = lane.production
  lane.count('while Stripe is asked')
  const before = double.count(LIST_REFUNDS)
  double.fault('hang', { on: LIST_REFUNDS })
  const delivery = deliver()
  await asked(LIST_REFUNDS, before + 1)
  const left = await kill()
  return { status: await delivery, left }
}

test('killed anywhere in a webhook it has what it said to have, and takes the rest when Stripe sends it again', async () => {
  const kills: readonly (readonly [Story, Kill])[] = [
    ...spread(18, 9).map((moment) => [paid, atMoment(moment)] as const),
    ...spread(5, 5).map((moment) => [refunded, atMoment(moment)] as const),
    ...spread(5, 5).map((moment) => [chargedBack, atMoment(moment)] as const),
    ...[
      paid,
      paid,
      paid,
      paid,
      refunded,
      refunded,
      refundHint,
      refundHint,
      chargedBack,
      chargedBack,
    ].map((story) => [story, afterTheAnswer] as const),
    ...spread(5, 5).map((moment) => [refundHint, atMoment(moment)] as const),
    ...some(7, () => [refundHint, whileStripeIsAsked] as const),
  ]
  await killInLanes('webhook', kills, {
    lanes: 3,
    async carryOut(lane, [story, kill], email) {
      const { double } = lane.production
      const event = await story.tell(lane, email)
      const { status, left } = await kill(
        lane,
        () => double.deliver(event).catch(() => null),
        () =>
          lane.kill(({ read }) =>
            read(story.record, email).length > 0 ? 'leaving it stored' : 'leaving it not stored',
          ),
      )
      // What was accepted is on disk: nobody sends it again.
      if (status === 200) expect(left).toBe('leaving it stored')
      await lane.start()
      if (status !== 200) expect(await double.deliver(event)).toBe(200)
      expect(await lane.buyerOf(email).hasPremium()).toBe(story.premium)
      lane.premium.set(email, story.premium)
    },
  })
})
