import { describe, expect, test } from 'bun:test'
import type { PurchaseState } from '../../domain/purchase.ts'
import { orderingsOf } from '../support/orderings.ts'
import { PLACES } from '../support/service/places.ts'
import { buyerSetup } from '../support/service/real-buyer.ts'
import { STRIPE_EVENT_NAMES } from '../support/stripe/stripe-events.ts'

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openBuyer = buyerSetup(openPlace)
  type Buyer = Awaited<ReturnType<typeof openBuyer>>

  const PAID = 'checkout.session.completed.paid'
  const ACCEPTED = { status: 200, body: { received: true } }

  /** A payload about the buyer's session also where it tells the story of another one of theirs. */
  function eventOf(buyer: Buyer, name: string) {
    const fields = name === 'checkout.session.expired' ? { id: buyer.sessionId } : {}
    return buyer.eventOf(name, fields)
  }

  async function deliver(buyer: Buyer, names: readonly string[]) {
    for (const name of names) {
      expect(await buyer.service.deliver(eventOf(buyer, name))).toMatchObject(ACCEPTED)
    }
  }

  type Effect = readonly [state: PurchaseState, premium: boolean]

  /** What each payload makes of a purchase that is open, and of one that is paid. */
  const EFFECTS: Readonly<Record<string, { onOpen: Effect; onPaid: Effect }>> = {
    'checkout.session.completed.paid': paid(),
    'checkout.session.completed.other_email_typed': paid(),
    'checkout.session.completed.missing_email': paid(),
    'checkout.session.async_payment_succeeded': paid(),
    'checkout.session.completed.no_payment_required': onlyOpen('review'),
    'checkout.session.completed.unpaid': onlyOpen('processing'),
    'checkout.session.async_payment_failed': onlyOpen('closed'),
    'checkout.session.expired': onlyOpen('closed'),
    'checkout.session.completed.foreign': nothing(),

    'refund.created.succeeded': takesAway(),
    'refund.created.pending': takesAway(),
    'refund.updated': takesAway(),
    'refund.created.partial': nothing(),
    'refund.failed': nothing(),
    'charge.refund.updated': nothing(),
    // Hints: what was really refunded is asked of Stripe, where nothing was.
    'charge.refunded.full': nothing(),
    'charge.refunded.partial': nothing(),

    'charge.dispute.created.chargeback': takesAway(),
    'charge.dispute.funds_withdrawn': takesAway(),
    'charge.dispute.updated.under_review': takesAway(),
    'charge.dispute.closed.lost': takesAway(),
    'charge.dispute.created.inquiry': nothing(),
    'charge.dispute.closed.warning_closed': nothing(),
    'charge.dispute.closed.won': nothing(),
    'charge.dispute.funds_reinstated': nothing(),

    'charge.succeeded': nothing(),
    'customer.created.unhandled': nothing(),
    'payment_intent.canceled': nothing(),
    'payment_intent.created': nothing(),
    'payment_intent.payment_failed': nothing(),
    'payment_intent.processing': nothing(),
    'payment_intent.succeeded': nothing(),
  }

  function paid() {
    return { onOpen: ['paid', true], onPaid: ['paid', true] } as const
  }
  function onlyOpen(state: PurchaseState) {
    return { onOpen: [state, false], onPaid: ['paid', true] } as const
  }
  function takesAway() {
    return { onOpen: ['open', false], onPaid: ['paid', false] } as const
  }
  function nothing() {
    return { onOpen: ['open', false], onPaid: ['paid', true] } as const
  }

  async function effectOf(buyer: Buyer): Promise<Effect> {
    const { purchases } = await buyer.account()
    expect(purchases).toHaveLength(1)
    return [purchases[0]!.state, await buyer.hasPremium()]
  }

  describe('through the webhook, every payload of Stripe', () => {
    test('has its row here', () => {
      expect(Object.keys(EFFECTS).toSorted()).toEqual([...STRIPE_EVENT_NAMES])
    })

    test.each(Object.entries(EFFECTS))(
      '%s is received and has the effect of the table, however often it comes, before the payment and after it',
      async (name, { onOpen, onPaid }) => {
        const early = await openBuyer()
        early.double.pay(early.sessionId)
        await deliver(early, [name, name])
        expect(await effectOf(early)).toEqual(onOpen)
        await deliver(early, [PAID])
        expect(await effectOf(early)).toEqual(onPaid)

        const late = await openBuyer()
        late.double.pay(late.sessionId)
        await deliver(late, [PAID, name, name])
        expect(await effectOf(late)).toEqual(onPaid)
      },
    )

    test('gives the same result forward, in reverse and twice over', async () => {
      for (const names of [
        STRIPE_EVENT_NAMES,
        STRIPE_EVENT_NAMES.toReversed(),
        [...STRIPE_EVENT_NAMES, ...STRIPE_EVENT_NAMES.toReversed()],
      ]) {
        const buyer = await openBuyer()
        buyer.double.pay(buyer.sessionId)
        await deliver(buyer, names)
        // Paid; refunded in part, and once in full with a refund that bounced; charged back, and won in the end.
        expect(await effectOf(buyer)).toEqual(['paid', true])
      }
    })
  })

  describe('through the webhook, in every order', () => {
    const LATE = ['checkout.session.completed.unpaid', 'checkout.session.async_payment_succeeded']

    test.each<[string, readonly string[], PurchaseState, boolean]>([
      ['money that came late', LATE, 'paid', true],
      [
        'money that did not come',
        ['checkout.session.completed.unpaid', 'checkout.session.async_payment_failed'],
        'closed',
        false,
      ],
      ['a page that expired after it was paid', [PAID, 'checkout.session.expired'], 'paid', true],
      ['a full refund', [PAID, 'refund.created.pending', 'refund.updated'], 'paid', false],
      [
        'a full refund that bounced',
        [PAID, 'refund.created.succeeded', 'charge.refund.updated'],
        'paid',
        true,
      ],
      ['a refund in part', [PAID, 'refund.created.partial'], 'paid', true],
      [
        'an inquiry that came to nothing',
        [PAID, 'charge.dispute.created.inquiry', 'charge.dispute.closed.warning_closed'],
        'paid',
        true,
      ],
      [
        'a chargeback',
        [PAID, 'charge.dispute.created.chargeback', 'charge.dispute.funds_withdrawn'],
        'paid',
        false,
      ],
      [
        'an inquiry that became a chargeback',
        [PAID, 'charge.dispute.created.inquiry', 'charge.dispute.updated.under_review'],
        'paid',
        false,
      ],
      [
        'a chargeback that was won',
        [PAID, 'charge.dispute.created.chargeback', 'charge.dispute.closed.won'],
        'paid',
        true,
      ],
      [
        'a chargeback that was lost',
        [PAID, 'charge.dispute.funds_withdrawn', 'charge.dispute.closed.lost'],
        'paid',
        false,
      ],
    ])('%s ends alike', async (_, names, state, premium) => {
      for (const ordering of orderingsOf(names)) {
        const buyer = await openBuyer()
        buyer.double.pay(buyer.sessionId)
        await deliver(buyer, ordering)
        expect([ordering, await effectOf(buyer)]).toEqual([ordering, [state, premium]])
      }
    })
  })
})
