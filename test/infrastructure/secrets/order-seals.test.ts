import { describe, expect, test } from 'bun:test'
import { parseEmail } from '../../../domain/email.ts'
import type { Price, PurchaseId } from '../../../domain/order.ts'
import { orderSeals } from '../../../infrastructure/secrets/order-seals.ts'

const SECRET = 'a secret of more than thirty-two bytes'
const seals = orderSeals({ secret: SECRET })
const order = (id: string, email: string, price: Price) => ({
  id: id as PurchaseId,
  email: parseEmail(email),
  price,
})
const ORDER = order('pur_1', 'ada@example.com', { amount: 400, currency: 'eur' })

describe('the seal of an order', () => {
  test('is short text that Stripe keeps, and the same after a restart', () => {
    expect(seals.sealOf(ORDER)).toMatch(/^[\w-]{43}$/)
    expect(orderSeals({ secret: SECRET }).sealOf(ORDER)).toBe(seals.sealOf(ORDER))
    expect(seals.fits(ORDER, seals.sealOf(ORDER))).toBe(true)
  })

  test.each([
    ['name', order('pur_2', 'ada@example.com', ORDER.price)],
    ['address', order('pur_1', 'bob@example.com', ORDER.price)],
    ['amount', order('pur_1', 'ada@example.com', { ...ORDER.price, amount: 40 })],
    ['currency', order('pur_1', 'ada@example.com', { ...ORDER.price, currency: 'usd' })],
    ['border between name and address', order('pur_1a', 'da@example.com', ORDER.price)],
  ])('fits no order with another %s', (_, other) => {
    expect(seals.fits(other, seals.sealOf(ORDER))).toBe(false)
  })

  test.each(['', 'x', 'A'.repeat(43), 'é'.repeat(43)])('is not %p', (seal) => {
    expect(seals.fits(ORDER, seal)).toBe(false)
  })

  test('is made under today’s secret, and fits under the one before', () => {
    const rolled = orderSeals({ secret: 'another secret', previousSecret: SECRET })
    expect(rolled.fits(ORDER, seals.sealOf(ORDER))).toBe(true)
    expect(seals.fits(ORDER, rolled.sealOf(ORDER))).toBe(false)
    expect(orderSeals({ secret: 'another secret' }).fits(ORDER, seals.sealOf(ORDER))).toBe(false)
  })
})
