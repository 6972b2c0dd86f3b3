import type { PurchaseState } from '../../../domain/purchase.ts'
import { orderingsOf } from '../orderings.ts'
import type { StripeObject } from '../stripe/stripe-events.ts'

/** One of the payloads in stripe-events/, with fields of the story's own on its object. */
export type Telling = { readonly payload: string; readonly fields?: StripeObject }

/** The events that Stripe sends about one buyer, and how they have to end. */
export type Story = {
  readonly name: string
  readonly allowPromotionCodes?: true
  readonly tellings: readonly Telling[]
  /** Objects that Stripe only shows when it is asked for them. */
  readonly untold?: readonly Telling[]
  readonly end: {
    readonly premium: boolean
    readonly state: PurchaseState
    /** The messages to the buyer, whatever the order: each of them once. */
    readonly messages: readonly ('payment_confirmed' | 'payment_failed')[]
  }
}

const PAID_WITH_PREMIUM = { premium: true, state: 'paid', messages: ['payment_confirmed'] } as const
const PAID_WITHOUT_PREMIUM = { ...PAID_WITH_PREMIUM, premium: false } as const
const UNPAID = { premium: false, state: 'closed', messages: [] } as const

export const STORIES: readonly Story[] = [
  {
    name: 'a card pays',
    tellings: told(
      'charge.succeeded',
      'payment_intent.succeeded',
      'checkout.session.completed.paid',
    ),
    end: PAID_WITH_PREMIUM,
  },
  {
    name: 'a late debit succeeds',
    tellings: told(
      'payment_intent.processing',
      'checkout.session.completed.unpaid',
      'payment_intent.succeeded',
      'checkout.session.async_payment_succeeded',
    ),
    end: PAID_WITH_PREMIUM,
  },
  {
    name: 'a late debit fails',
    tellings: told(
      'payment_intent.processing',
      'checkout.session.completed.unpaid',
      'payment_intent.payment_failed',
      'checkout.session.async_payment_failed',
    ),
    end: { ...UNPAID, messages: ['payment_failed'] },
  },
  {
    name: 'a session expires',
    tellings: told(
      'payment_intent.created',
      'payment_intent.payment_failed',
      'checkout.session.expired',
    ),
    end: UNPAID,
  },
  {
    name: 'a voucher pays for everything',
    allowPromotionCodes: true,
    tellings: told('customer.created.unhandled', 'checkout.session.completed.no_payment_required'),
    end: PAID_WITH_PREMIUM,
  },
  {
    name: 'all is refunded',
    tellings: told(
      'checkout.session.completed.paid',
      'refund.created.pending',
      'charge.refunded.full',
      'refund.updated',
    ),
    end: PAID_WITHOUT_PREMIUM,
  },
  {
    name: 'two refunds in part make the whole',
    tellings: [
      ...told(
        'checkout.session.completed.paid',
        'refund.created.partial',
        'charge.refunded.partial',
      ),
      { payload: 'refund.created.partial', fields: { id: 're_the_other_part', amount: 250 } },
      { payload: 'charge.refunded.full' },
    ],
    end: PAID_WITHOUT_PREMIUM,
  },
  {
    name: 'a refund bounces',
    tellings: told(
      'checkout.session.completed.paid',
      'refund.created.succeeded',
      'charge.refunded.full',
      'refund.failed',
      'charge.refund.updated',
    ),
    end: PAID_WITH_PREMIUM,
  },
  {
    name: 'a chargeback is won',
    tellings: told(
      'checkout.session.completed.paid',
      'charge.dispute.created.chargeback',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.closed.won',
      'charge.dispute.funds_reinstated',
    ),
    end: PAID_WITH_PREMIUM,
  },
  {
    name: 'a chargeback is lost',
    tellings: told(
      'checkout.session.completed.paid',
      'charge.dispute.created.chargeback',
      'charge.dispute.updated.under_review',
      'charge.dispute.closed.lost',
    ),
    end: PAID_WITHOUT_PREMIUM,
  },
  {
    name: 'an inquiry comes to nothing',
    tellings: told(
      'checkout.session.completed.paid',
      'charge.dispute.created.inquiry',
      'charge.dispute.closed.warning_closed',
    ),
    end: PAID_WITH_PREMIUM,
  },
  {
    // Of the refund there is only the hint to ask for it. The chargeback is won, but what was refunded stays refunded.
    name: 'a refund and a chargeback come together',
    tellings: told(
      'checkout.session.completed.paid',
      'charge.refunded.full',
      'charge.dispute.created.chargeback',
      'charge.dispute.closed.won',
      'charge.dispute.funds_reinstated',
    ),
    untold: told('refund.created.succeeded'),
    end: PAID_WITHOUT_PREMIUM,
  },
]

function told(...payloads: readonly string[]): readonly Telling[] {
  return payloads.map((payload) => ({ payload }))
}

type Pattern = (order: readonly Telling[]) => readonly Telling[]

const PATTERNS: readonly (readonly [name: string, Pattern])[] = [
  ['once', (order) => order],
  ['the whole list twice', (order) => [...order, ...order]],
  ['each event twice', (order) => order.flatMap((telling) => [telling, telling])],
  ['the first one again at the end', (order) => [...order, ...order.slice(0, 1)]],
]

/** One way in which a story can reach us. */
export type Sequence = {
  readonly name: string
  readonly story: Story
  readonly deliveries: readonly Telling[]
  /** Whether every delivery is an event of its own, rather than the same event brought again. */
  readonly hasOwnEventIds: boolean
}

/** The story in every order and every pattern of repetition, with the same event ids and with ever new ones. */
export function sequencesOf(story: Story): Sequence[] {
  return orderingsOf(story.tellings).flatMap((order) =>
    PATTERNS.flatMap(([pattern, repeat]) =>
      [false, true].map((hasOwnEventIds) => ({
        name: nameOf(story, order, pattern, hasOwnEventIds),
        story,
        deliveries: repeat(order),
        hasOwnEventIds,
      })),
    ),
  )
}

function nameOf(
  { name }: Story,
  order: readonly Telling[],
  pattern: string,
  hasOwnEventIds: boolean,
): string {
  const events = order.map(({ payload, fields = {} }) => [payload, ...Object.values(fields)])
  return `${name}: ${events.map((event) => event.join(' ')).join(' > ')} (${pattern}, ${hasOwnEventIds ? 'ever new' : 'the same'} event ids)`
}
