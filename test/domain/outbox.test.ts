import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Dispute } from '../../domain/dispute.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/duration.ts'
import { parseEmail } from '../../domain/email.ts'
import type { PurchaseId } from '../../domain/order.ts'
import {
  ATTEMPTS_MAX,
  beginAttempt,
  draftMessage,
  endMessage,
  messagesAbout,
  OUTBOX_KINDS,
  type OutboxMessage,
  WAIT_MAX_MS,
} from '../../domain/outbox.ts'
import type { Reversals } from '../../domain/premium-grant.ts'
import { draftPurchase, PURCHASE_STATES, type Purchase } from '../../domain/purchase.ts'
import type { Refund } from '../../domain/refund.ts'
import type { SessionOutcome } from '../../domain/session-report.ts'
import { inState, NOON } from '../support/fakes.ts'

const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)

const OPEN: Purchase = {
  ...draftPurchase({
    id: 'pur_1' as PurchaseId,
    email: parseEmail('ada@example.com'),
    language: 'sv',
    price: { amount: 400, currency: 'eur' },
    live: true,
    now: NOON,
  }),
  paymentIntentId: 'pi_1',
}
const PAID = inState(OPEN, 'paid')
const NOTHING_BACK: Reversals = { refunds: [], disputes: [] }
const REFUNDED: Refund = { id: 're_1', paymentIntentId: 'pi_1', amount: 400, state: 'succeeded' }
const CHARGED_BACK: Dispute = {
  id: 'du_1',
  paymentIntentId: 'pi_1',
  state: 'open',
  reportedAt: NOON,
}
const MESSAGE = draftMessage('payment_confirmed', PAID, NOON)

type Circumstances = Parameters<typeof messagesAbout>[1]

function about(
  before: Purchase,
  after: Purchase,
  own: Partial<Circumstances> & { outcome?: SessionOutcome; lost?: Reversals | null } = {},
): readonly OutboxMessage[] {
  const { outcome = 'paid', lost = null, ...circumstances } = own
  return messagesAbout(
    { before, after, outcome, lost },
    { hasPremium: false, refundDuplicates: true, now: NOON, ...circumstances },
  )
}

describe('a step of a purchase', () => {
  test('that is paid leads to one mail that confirms it', () => {
    expect(about(OPEN, PAID)).toEqual([MESSAGE])
    expect(about(inState(OPEN, 'closed'), PAID)).toEqual([MESSAGE])
    expect(about(inState(OPEN, 'review'), PAID, { hasPremium: true })).toEqual([MESSAGE])
  })

  test('that stays where it was leads to nothing, whatever was said about it', () => {
    const outcomes = ['open', 'processing', 'expired', 'failed', 'paid'] as const
    for (const state of PURCHASE_STATES) {
      const purchase = inState(OPEN, state)
      for (const outcome of outcomes) {
        expect(about(purchase, { ...purchase, sessionId: 'cs_1' }, { outcome })).toEqual([])
      }
    }
  })

  test('that fails leads to a mail to the buyer, unless the buyer has premium all the same', () => {
    const failed = [draftMessage('payment_failed', inState(OPEN, 'closed'), NOON)]
    const processing = inState(OPEN, 'processing')
    const closed = inState(OPEN, 'closed')
    expect(about(processing, closed, { outcome: 'failed' })).toEqual(failed)
    expect(about(OPEN, closed, { outcome: 'failed' })).toEqual(failed)
    expect(about(processing, closed, { outcome: 'failed', hasPremium: true })).toEqual([])
  })

  test.each<[string, Purchase, SessionOutcome]>([
    ['expires', inState(OPEN, 'closed'), 'expired'],
    ['is under way', inState(OPEN, 'processing'), 'processing'],
    ['is put aside for review', inState(OPEN, 'review'), 'paid'],
  ])('that %s is told to nobody', (_, after, outcome) => {
    expect(about(OPEN, after, { outcome })).toEqual([])
  })
})

describe('a payment that is one too many', () => {
  const duplicate = { ...PAID, isDuplicate: true } as Purchase

  test('goes back and is not confirmed', () => {
    expect(about(OPEN, duplicate)).toEqual([draftMessage('duplicate_refund', duplicate, NOON)])
  })

  test('leads to nothing where it is only to be recorded', () => {
    expect(about(OPEN, duplicate, { refundDuplicates: false })).toEqual([])
  })

  test('leads to nothing where a voucher paid for everything', () => {
    const free = { ...duplicate, paymentIntentId: null, amountPaid: 0 } as Purchase
    expect(about(OPEN, free)).toEqual([])
  })
})

describe('a purchase whose row was lost', () => {
  test.each([
    ['on the same day', DAY_MS, 1],
    ['later, when nobody knows any more what has gone out', DAY_MS + 1, 0],
  ])('sends its mail again or not %s', (_, ageMs, mails) => {
    const now = at(ageMs)
    const closed = inState(OPEN, 'closed')
    expect(about(OPEN, PAID, { lost: NOTHING_BACK, now })).toHaveLength(mails)
    expect(about(OPEN, closed, { lost: NOTHING_BACK, now, outcome: 'failed' })).toHaveLength(mails)
    expect(about(OPEN, PAID, { now })).toHaveLength(1)
  })

  test.each<[string, Reversals]>([
    ['refunded', { ...NOTHING_BACK, refunds: [REFUNDED] }],
    ['charged back', { ...NOTHING_BACK, disputes: [CHARGED_BACK] }],
  ])('leads to nothing any more where it has been %s', (_, lost) => {
    const duplicate = { ...PAID, isDuplicate: true } as Purchase
    expect(about(OPEN, PAID, { lost })).toEqual([])
    expect(about(OPEN, duplicate, { lost })).toEqual([])
  })

  test('is sent back however old it is when it is one too many: a refund repeats nothing', () => {
    const duplicate = { ...PAID, isDuplicate: true } as Purchase
    const now = at(30 * DAY_MS)
    expect(about(OPEN, duplicate, { lost: NOTHING_BACK, now })).toHaveLength(1)
  })
})

describe('a drafted message', () => {
  test('is due at once, to the buyer, in the buyer’s language, about what was paid', () => {
    const voucher = { ...PAID, amountPaid: 150 } as Purchase
    expect(draftMessage('payment_confirmed', voucher, at(1))).toEqual({
      key: 'payment_confirmed:pur_1' as OutboxMessage['key'],
      kind: 'payment_confirmed',
      purchaseId: OPEN.id,
      email: OPEN.email,
      language: 'sv',
      amount: { amount: 150, currency: 'eur' },
      createdAt: at(1),
      attempts: 0,
      state: 'waiting',
      dueAt: at(1),
    })
  })

  test('names the price where nothing was paid', () => {
    const closed = inState(OPEN, 'closed')
    expect(draftMessage('payment_failed', closed, NOON).amount).toEqual(OPEN.price)
  })

  test('has a key of its own for each kind and purchase', () => {
    const other = { ...PAID, id: 'pur_2' as PurchaseId }
    const keys = OUTBOX_KINDS.flatMap((kind) =>
      [PAID, other].map((purchase) => draftMessage(kind, purchase, NOON).key),
    )
    expect(new Set(keys).size).toBe(2 * OUTBOX_KINDS.length)
  })
})

describe('an attempt', () => {
  test('says how long it is waited for, from half a minute to an hour', () => {
    const waits: number[] = []
    let message = MESSAGE
    for (let attempt = 1; attempt <= 9; attempt++) {
      message = beginAttempt(message, NOON)
      expect(message).toMatchObject({ state: 'waiting', attempts: attempt })
      waits.push((dueTime(message) - NOON.getTime()) / SECOND_MS)
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
  })

  test('changes nothing but when, and how often', () => {
    expect(beginAttempt(MESSAGE, at(5))).toEqual({
      ...MESSAGE,
      attempts: 1,
      dueAt: at(5 + 30 * SECOND_MS),
    } as OutboxMessage)
  })

  test('is made however late, and the last one is followed by an end', () => {
    const late = beginAttempt(MESSAGE, at(30 * DAY_MS))
    expect(late).toMatchObject({ state: 'waiting', attempts: 1 })
    expect(beginAttempt(late, at(60 * DAY_MS))).toMatchObject({ state: 'waiting', attempts: 2 })

    const last = { ...MESSAGE, attempts: ATTEMPTS_MAX }
    expect(beginAttempt(last, at(5))).toMatchObject({ state: 'given_up', endedAt: at(5) })
  })

  test('is waited for longer and longer, until there were enough, however late each one is begun', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 2 * HOUR_MS }), { maxLength: 120 }), (delaysMs) => {
        let message = MESSAGE
        let lastWaitMs = 30 * SECOND_MS
        for (const delayMs of delaysMs) {
          const now = new Date(dueTime(message) + delayMs)
          const isOver = message.attempts === ATTEMPTS_MAX
          message = beginAttempt(message, now)
          expect(message.state).toBe(isOver ? 'given_up' : 'waiting')
          if (isOver) return
          const waitMs = dueTime(message) - now.getTime()
          expect(waitMs).toBeGreaterThanOrEqual(lastWaitMs)
          expect(waitMs).toBeLessThanOrEqual(WAIT_MAX_MS)
          lastWaitMs = waitMs
        }
      }),
    )
  })

  test('comes 78 times, over three days, before an operator is asked', () => {
    let message = MESSAGE
    let lastTime = NOON.getTime()
    while (message.state === 'waiting') {
      lastTime = message.dueAt.getTime()
      message = beginAttempt(message, message.dueAt)
    }
    expect(message.attempts).toBe(ATTEMPTS_MAX)
    expect((lastTime - NOON.getTime()) / DAY_MS).toBeWithin(3, 3.1)
  })
})

describe('the end of a message', () => {
  const ENDS = ['done', 'dropped', 'given_up'] as const

  test.each(ENDS)('%s is kept, with its moment and its attempts', (state) => {
    const tried = beginAttempt(MESSAGE, NOON)
    const ended = endMessage(tried, state, at(7))
    const { dueAt: _, ...terms } = { dueAt: null, ...tried }
    expect(ended).toEqual({ ...terms, state, endedAt: at(7) } as OutboxMessage)
  })

  test.each(ENDS)('%s is for good: no other attempt begins', (state) => {
    const ended = endMessage(MESSAGE, state, NOON)
    expect(beginAttempt(ended, at(DAY_MS))).toBe(ended)
  })

  test('is the first one: what has ended stays as it ended', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ENDS), { minLength: 1, maxLength: 5 }), (ends) => {
        const all = ends.map((end, index) => [end, at(index)] as const)
        const ended = all.reduce((message, [end, now]) => endMessage(message, end, now), MESSAGE)
        return (
          ended.state === ends[0] &&
          'endedAt' in ended &&
          ended.endedAt.getTime() === NOON.getTime()
        )
      }),
    )
  })
})

function dueTime(message: OutboxMessage): number {
  if (message.state !== 'waiting') throw new Error('it has ended')
  return message.dueAt.getTime()
}
