import { describe, expect, test } from 'bun:test'
import type { Store } from '../../application/store.ts'
import {
  beginAttempt,
  draftMessage,
  endMessage,
  OUTBOX_KINDS,
  type OutboxKey,
  type OutboxMessage,
  WAIT_MAX_MS,
} from '../../domain/outbox.ts'
import type { Purchase } from '../../domain/purchase.ts'
import { NOON, ORIGIN } from '../support/fakes.ts'
import { ANNA, paidPurchase } from '../support/stores/contract-purchases.ts'
import { STORES } from '../support/stores/stores.ts'

const PURCHASE = paidPurchase('one')
const CONFIRMED = draftMessage('payment_confirmed', PURCHASE, NOON)
const REFUND = draftMessage('duplicate_refund', PURCHASE, NOON)
const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)

describe.each(STORES)('OutboxRepository on %s', (_, open) => {
  test('knows no message of a purchase that led to none', async () => {
    const store = await open()
    await save(store, PURCHASE, [])

    expect(await store.outbox.findByPurchase(PURCHASE.id)).toEqual([])
    expect(await store.outbox.update(CONFIRMED.key, (message) => message)).toBeNull()
    expect(await store.outbox.takeDue({ kinds: OUTBOX_KINDS, now: NOON }, begin)).toBeNull()
  })

  test.each(OUTBOX_KINDS)('keeps every field of a message of the kind %s', async (kind) => {
    const store = await open()
    const message = draftMessage(kind, PURCHASE, at(1))
    await save(store, PURCHASE, [message])

    expect(await store.outbox.findByPurchase(PURCHASE.id)).toEqual([message])
    expect(await store.outbox.findByPurchase(paidPurchase('two').id)).toEqual([])
  })

  test.each(['done', 'dropped', 'given_up'] as const)(
    'keeps that a message is %s, since when, and after how many attempts',
    async (state) => {
      const store = await open()
      await save(store, PURCHASE, [CONFIRMED])
      const ended = endMessage(beginAttempt(CONFIRMED, at(1)), state, at(2))

      expect(await store.outbox.update(CONFIRMED.key, () => ended)).toEqual(ended)
      expect(await store.outbox.findByPurchase(PURCHASE.id)).toEqual([ended])
      expect(ended).toMatchObject({ state, endedAt: at(2), attempts: 1 })
    },
  )

  test('leaves a message as it is whose key is known already', async () => {
    const store = await open()
    await save(store, PURCHASE, [CONFIRMED])
    const ended = await store.outbox.update(CONFIRMED.key, (message) =>
      endMessage(message, 'done', at(1)),
    )
    await save(store, PURCHASE, [{ ...CONFIRMED, attempts: 7 }, REFUND])

    const messages = await store.outbox.findByPurchase(PURCHASE.id)
    expect(messages).toHaveLength(2)
    expect(messages).toContainEqual(ended!)
    expect(messages).toContainEqual(REFUND)
  })

  test('changes nothing when the change throws, and passes its error through', async () => {
    const store = await open()
    await save(store, PURCHASE, [CONFIRMED])
    const refusal = new Error('refused')
    const refuse = () => {
      throw refusal
    }

    await expect(store.outbox.update(CONFIRMED.key, refuse)).rejects.toBe(refusal)
    const taken = store.outbox.takeDue({ kinds: OUTBOX_KINDS, now: NOON }, refuse)
    await expect(taken).rejects.toBe(refusal)
    expect(await store.outbox.findByPurchase(PURCHASE.id)).toEqual([CONFIRMED])
  })
})

describe.each(STORES)('taking what is due from the outbox on %s', (_, open) => {
  test('takes the message that has been due for the longest, and leaves it as begun', async () => {
    const store = await open()
    for (const [name, dueAt] of Object.entries({ late: -1, first: -3, second: -2 })) {
      const purchase = paidPurchase(name)
      const message = draftMessage('payment_confirmed', purchase, at(dueAt))
      await save(store, purchase, [message])
    }

    const taken = await takeAll(store)
    expect(taken.map(({ key }) => key as string)).toEqual([
      'payment_confirmed:first',
      'payment_confirmed:second',
      'payment_confirmed:late',
    ])
    expect(taken.map(({ attempts }) => attempts)).toEqual([1, 1, 1])
    expect(await store.outbox.findByPurchase(paidPurchase('first').id)).toEqual([taken[0]!])
  })

  test('takes of several kinds the longest due of them all, and none that was not asked for', async () => {
    const store = await open()
    const failed = draftMessage('payment_failed', PURCHASE, at(-2))
    const refund = draftMessage('duplicate_refund', PURCHASE, at(-3))
    await save(store, PURCHASE, [CONFIRMED, failed, refund])

    const mails = await takeAll(store, ['payment_confirmed', 'payment_failed'])
    expect(mails.map(({ kind }) => kind)).toEqual(['payment_failed', 'payment_confirmed'])
    const refunds = await takeAll(store, ['duplicate_refund'])
    expect(refunds.map(({ kind }) => kind)).toEqual(['duplicate_refund'])
  })

  test('takes a message from the moment at which it is due, and none before', async () => {
    const store = await open()
    await save(store, PURCHASE, [draftMessage('payment_confirmed', PURCHASE, at(1))])

    expect(await store.outbox.takeDue({ kinds: OUTBOX_KINDS, now: NOON }, begin)).toBeNull()
    const taken = await store.outbox.takeDue({ kinds: OUTBOX_KINDS, now: at(1) }, begin)
    expect(taken?.attempts).toBe(1)
  })

  test('takes a message that is due later than any wait lasts: the clock has been set back', async () => {
    const store = await open()
    await save(store, PURCHASE, [draftMessage('payment_confirmed', PURCHASE, at(WAIT_MAX_MS))])
    const due = { kinds: OUTBOX_KINDS, now: NOON }
    expect(await store.outbox.takeDue(due, begin)).toBeNull()
    expect(await store.outbox.takeDue({ ...due, now: at(-1) }, begin)).toMatchObject({
      attempts: 1,
    })
  })

  test('takes no message that has ended', async () => {
    const store = await open()
    await save(store, PURCHASE, [CONFIRMED, REFUND])
    await store.outbox.update(CONFIRMED.key, (message) => endMessage(message, 'done', NOON))

    const taken = await takeAll(store)
    expect(taken.map(({ key }) => key)).toEqual([REFUND.key])
  })

  test('hands on a message that begin gives up, and keeps it so', async () => {
    const store = await open()
    await save(store, PURCHASE, [CONFIRMED])
    const taken = await store.outbox.takeDue({ kinds: OUTBOX_KINDS, now: NOON }, (message) =>
      endMessage(message, 'given_up', NOON),
    )

    expect(taken?.state).toBe('given_up')
    expect(await store.outbox.findByPurchase(PURCHASE.id)).toEqual([taken!])
  })

  test('gives none of 20 messages to two of 50 that take at once', async () => {
    const store = await open()
    for (let count = 0; count < 20; count++) {
      const purchase = paidPurchase(`number ${count}`)
      await save(store, purchase, [draftMessage('payment_confirmed', purchase, NOON)])
    }

    const taken = await Promise.all(
      Array.from({ length: 50 }, () =>
        store.outbox.takeDue({ kinds: OUTBOX_KINDS, now: NOON }, begin),
      ),
    )
    const keys = taken.flatMap((message): OutboxKey[] => (message ? [message.key] : []))
    expect(keys).toHaveLength(20)
    expect(new Set(keys).size).toBe(20)
  })
})

describe.each(STORES)('messages on %s', (_, open) => {
  test('are stored together with the purchase that they follow from', async () => {
    const { purchases, outbox } = await open()
    const result = await purchases.update(ANNA, ORIGIN, () => ({
      purchase: PURCHASE,
      messages: [CONFIRMED, REFUND],
    }))

    expect(result).toEqual({ purchase: PURCHASE, messages: [CONFIRMED, REFUND] })
    expect(await outbox.findByPurchase(PURCHASE.id)).toHaveLength(2)
    expect(await purchases.findById(PURCHASE.id)).toEqual(PURCHASE)
  })

  test('are not stored when the purchase cannot be', async () => {
    const store = await open()
    await save(store, PURCHASE, [])
    const stolen = paidPurchase('two', { sessionId: PURCHASE.sessionId })

    const refused = save(store, stolen, [draftMessage('payment_confirmed', stolen, NOON)])
    await expect(refused).rejects.toThrow(
      /one session under two purchases|UNIQUE constraint failed: purchases.session_id|purchases_session_id_key/,
    )
    expect(await store.outbox.findByPurchase(stolen.id)).toEqual([])
    expect(await store.purchases.findById(stolen.id)).toBeNull()
  })

  test('are stored also when the purchase itself has not changed', async () => {
    const store = await open()
    await save(store, PURCHASE, [])
    await store.purchases.update(ANNA, ORIGIN, ({ purchases: [purchase] }) => ({
      purchase: purchase!,
      messages: [CONFIRMED],
    }))

    expect(await store.outbox.findByPurchase(PURCHASE.id)).toEqual([CONFIRMED])
  })
})

async function save(
  { purchases }: Store,
  purchase: Purchase,
  messages: readonly OutboxMessage[],
): Promise<void> {
  await purchases.update(ANNA, ORIGIN, () => ({ purchase, messages }))
}

function begin(message: OutboxMessage): OutboxMessage {
  return beginAttempt(message, NOON)
}

/** Takes, at noon, until nothing more is due. */
async function takeAll(
  { outbox }: Store,
  kinds = OUTBOX_KINDS as readonly OutboxMessage['kind'][],
) {
  const taken: OutboxMessage[] = []
  for (;;) {
    const message = await outbox.takeDue({ kinds, now: NOON }, begin)
    if (!message) return taken
    taken.push(message)
  }
}
