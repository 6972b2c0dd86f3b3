import { describe, expect, test } from 'bun:test'
import { draftMessage } from '../../../domain/outbox.ts'
import { acceptDuplicate } from '../../../domain/purchase.ts'
import { sqliteStore } from '../../../infrastructure/sqlite/store.ts'
import { inState, NOON, ORIGIN } from '../../support/fakes.ts'
import { ANNA, openPurchase, paidPurchase } from '../../support/stores/contract-purchases.ts'
import { openTemporaryDatabase } from '../../support/stores/stores.ts'

const PAID = paidPurchase('one')
const MESSAGE = draftMessage('payment_confirmed', PAID, NOON)

describe('the tables of payments', () => {
  test.each([
    ['paid without its facts', openPurchase('one'), "state = 'paid'"],
    ['paid without knowing whether it is one too many', PAID, 'is_duplicate = NULL'],
    ['paid, with an amount to review', PAID, 'amount_received = 400'],
    [
      'put aside without what came',
      inState(openPurchase('one'), 'review'),
      'amount_received = NULL',
    ],
    ['open, though one too many', openPurchase('one'), 'is_duplicate = 0'],
    ['in no language', PAID, "language = ''"],
    ['revoked, though not paid', openPurchase('one'), 'revoked_at = 1'],
  ])('take no purchase that is %s', async (_, purchase, change) => {
    const database = openTemporaryDatabase()
    const store = sqliteStore(database)
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase }))

    expect(() => database.queries.$client.run(`UPDATE purchases SET ${change}`)).toThrow('CHECK')
  })

  test.each([
    ["state = 'done'"],
    ['due_at = NULL'],
    ['ended_at = 1'],
    ["kind = 'newsletter'"],
    ["state = 'lost', due_at = NULL, ended_at = 1"],
    ['attempts = -1'],
  ])('take no message with %s', async (change) => {
    const database = openTemporaryDatabase()
    const store = sqliteStore(database)
    const messages = [MESSAGE]
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: PAID, messages }))

    expect(() => database.queries.$client.run(`UPDATE outbox SET ${change}`)).toThrow('CHECK')
  })

  test('keep a payment that is one too many no longer', async () => {
    const store = sqliteStore(openTemporaryDatabase())
    const duplicate = paidPurchase('one', { isDuplicate: true })
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: duplicate }))
    await store.purchases.update(ANNA, ORIGIN, () => ({ purchase: acceptDuplicate(duplicate) }))

    expect(await store.purchases.findById(duplicate.id)).toEqual(PAID)
  })
})
