import { describe, expect, test } from 'bun:test'
import { openToldBuyer } from '../support/payments/notified-buyer.ts'
import { checkLedger } from '../support/payments/sound-ledger.ts'
import {
  type Sequence,
  STORIES,
  type Story,
  sequencesOf,
  type Telling,
} from '../support/payments/stories.ts'
import { hasPostgres } from '../support/postgres/binaries.ts'
import { postgresPlace, type ServicePlace, sqlitePlace } from '../support/service/places.ts'
import { openService } from '../support/service/real-service.ts'
import { emptyMigratedDatabase } from '../support/stores/postgres-store.ts'
import { type StripeEvent, stripeEvent } from '../support/stripe/stripe-events.ts'
import { stripeSetup } from '../support/stripe/stripe-setup.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

/** Orders times patterns: where not all is tried, each order comes in two of the eight patterns, in turn. */
const SEQUENCES_MIN = IS_WHOLE ? 2 * 1_380 : 1_000

const startStripe = stripeSetup()

type Opened = Parameters<typeof openToldBuyer>[0]

async function openStory(story: Story, place: ServicePlace): Promise<Opened> {
  const { double, clock } = await startStripe()
  const allowPromotionCodes = story.allowPromotionCodes ?? false
  const service = openService({ stripe: double, clock, place, allowPromotionCodes })
  return { service, double }
}

/** What a sequence has led to; it names the sequence, and so does the test that it fails. */
async function endOf(opened: Opened, sequence: Sequence) {
  const { service } = opened
  const { auditTrail, outbox, purchases } = service.ports
  const buyer = await openToldBuyer(opened, sequence)
  const statuses: number[] = []
  for (const event of buyer.deliveries) statuses.push((await service.deliver(event)).status)

  const account = await purchases.findAccount(buyer.email)
  const messages = await outbox.findByPurchase(buyer.purchaseId)
  const audit = await auditTrail.findByEmail(buyer.email)
  const end = {
    sequence: sequence.name,
    refused: statuses.filter((status) => status !== 200),
    premium: await service.hasPremium(buyer.email),
    states: account.purchases.map(({ state }) => state),
    grants: account.grants.length,
    messages: messages.map(({ kind }) => kind),
    lastAudited: audit.at(-1)?.isActive ?? null,
  }
  buyer.forget()
  return { end, deliveries: statuses.length }
}

function rightEnd({ name, story: { end } }: Sequence): Awaited<ReturnType<typeof endOf>>['end'] {
  const isPaid = end.state === 'paid'
  return {
    sequence: name,
    refused: [],
    premium: end.premium,
    states: [end.state],
    grants: isPaid ? 1 : 0,
    messages: [...end.messages],
    lastAudited: isPaid ? end.premium : null,
  }
}

async function runStory(
  story: Story,
  place: ServicePlace,
  sequences: readonly Sequence[],
): Promise<{ sequences: number; deliveries: number }> {
  const opened = await openStory(story, place)
  let deliveries = 0
  for (const sequence of sequences) {
    const told = await endOf(opened, sequence)
    expect(told.end).toEqual(rightEnd(sequence))
    deliveries += told.deliveries
  }

  const hints = sequences.flatMap((sequence) => sequence.deliveries.filter(isHint))
  expect(opened.double.count('GET /v1/refunds')).toBe(hints.length)

  await checkLedger(opened.service.ports)

  // What is in the outbox goes out: every buyer gets the mails of the story, and nobody any other.
  const { mailer } = opened.service.ports
  await opened.service.deliverOutbox()
  const { messages } = story.end
  expect(mailer.notices).toHaveLength(sequences.length * messages.length)
  expect(new Set(mailer.notices.map(({ kind }) => kind as string))).toEqual(new Set(messages))
  return { sequences: sequences.length, deliveries }
}

/** Neighbours differ in their pattern alone, of which there are eight for each order. */
function triedOf(story: Story): Sequence[] {
  const all = sequencesOf(story)
  if (IS_WHOLE) return all
  return all.filter((_, index) => (index % 8) % 4 === Math.floor(index / 8) % 4)
}

/** Every second order, each in another of the eight patterns. */
function fewOf(story: Story): Sequence[] {
  return sequencesOf(story).filter((_, index) => index % 17 === 0)
}

/** Stripe has to be asked what was refunded. */
function isHint({ payload }: Telling): boolean {
  return payload.startsWith('charge.refunded')
}

/** How access is usually sold: the last event says whether the buyer is in. */
function naivePremium(events: readonly StripeEvent[]): boolean {
  return events.reduce((premium, { type }) => NAIVE_EFFECTS[type] ?? premium, false)
}

const NAIVE_EFFECTS: Readonly<Record<string, boolean>> = {
  'checkout.session.completed': true,
  'checkout.session.async_payment_succeeded': true,
  'checkout.session.async_payment_failed': false,
  'charge.refunded': false,
  'refund.failed': true,
  'charge.dispute.created': false,
  'charge.dispute.funds_reinstated': true,
}

function wrongEndsOfNaive(sequences: readonly Sequence[]): number {
  return sequences.filter(({ story, deliveries }) => {
    const events = deliveries.map(({ payload }) => stripeEvent(payload))
    return naivePremium(events) !== story.end.premium
  }).length
}

function figure(count: number): string {
  return count.toLocaleString('en')
}

describe('the twelve stories', () => {
  test('are told in every order, in four patterns, with the same event ids and with new ones', () => {
    expect(STORIES).toHaveLength(12)
    for (const story of STORIES) {
      const orders = factorial(story.tellings.length)
      const names = new Set(sequencesOf(story).map(({ name }) => name))
      expect([story.name, names.size]).toEqual([story.name, orders * 4 * 2])
    }
  })

  test('end as they should, whatever the order and the repetitions of their events', async () => {
    let all = 0
    let delivered = 0
    for (const story of STORIES) {
      const tried = triedOf(story)
      const { sequences, deliveries } = await runStory(story, sqlitePlace(':memory:'), tried)
      console.log(`  ${story.name}: ${figure(sequences)} sequences, 0 wrong ends`)
      all += sequences
      delivered += deliveries
    }
    console.log(
      `stories: ${figure(all)} sequences of ${figure(delivered)} deliveries, 0 wrong ends`,
    )
    expect(all).toBeGreaterThanOrEqual(SEQUENCES_MIN)
  })

  test.if(hasPostgres())('end as they should on PostgreSQL, too', async () => {
    let all = 0
    for (const story of STORIES) {
      const place = postgresPlace(await emptyMigratedDatabase())
      all += (await runStory(story, place, fewOf(story))).sequences
    }
    console.log(`stories on PostgreSQL: ${figure(all)} sequences, 0 wrong ends`)
  })

  test('are no easy ones: where the last event decides, many of the same sequences end wrong', () => {
    const sequences = STORIES.flatMap(sequencesOf)
    const wrong = wrongEndsOfNaive(sequences)
    console.log(
      `stories, the last event decides: ${figure(sequences.length)} sequences, ${figure(wrong)} wrong ends`,
    )
    expect(wrong).toBeGreaterThan(100)
  })
})

function factorial(count: number): number {
  return count < 2 ? 1 : count * factorial(count - 1)
}
