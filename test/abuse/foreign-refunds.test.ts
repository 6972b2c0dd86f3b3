import { expect, test } from 'bun:test'
import { pruneExpired } from '../../application/upkeep/prune-expired.ts'
import { DAY_MS, HOUR_MS } from '../../domain/duration.ts'
import { buyerSetup } from '../support/service/real-buyer.ts'

const openBuyer = buyerSetup()

const TOLD = ['refund.created.succeeded', 'charge.dispute.created.chargeback']

/** A shop whose Stripe account has given back money of another shop, too, and once to its own buyer. */
async function openShop() {
  const buyer = await openBuyer()
  const { double, service, sessionId, eventOf } = buyer
  double.pay(sessionId)
  await service.deliver(eventOf('checkout.session.completed.paid'))
  await service.deliver(eventOf('refund.created.partial', { id: 're_ours' }))
  for (let number = 0; number < 300; number++) {
    for (const name of TOLD) {
      const payment_intent = `pi_other_shop_${number}`
      await service.deliver(eventOf(name, { id: `${name}_${number}`, payment_intent }))
    }
  }
  const count = async () => {
    const { refunds = [], disputes = [], foreign_payments: noted = [] } = await service.contents()
    return [refunds.length, disputes.length, noted.length]
  }
  const prune = () =>
    pruneExpired(service.ports, {
      pause: async () => {},
      stopping: new AbortController().signal,
    })
  return { ...buyer, count, prune }
}

test('what other shops in the account give back is gone after 48 hours, and our own stays', async () => {
  const { service, count, prune, hasPremium } = await openShop()
  expect(await count()).toEqual([301, 300, 300])
  service.clock.advance(48 * HOUR_MS - 1)
  await prune()
  expect(await count()).toEqual([301, 300, 300])
  service.clock.advance(1)
  expect(await prune()).toMatchObject({ foreign_reversals: 300 })
  expect(await count()).toEqual([1, 0, 0])
  expect(await service.contents()).toMatchObject({ refunds: [{ id: 're_ours' }] })
  expect(await hasPremium()).toBe(true)
})

test('a refund that was told before its payment counts however late the payment is told', async () => {
  const { double, service, sessionId, eventOf, hasPremium } = await openBuyer()
  const { retention } = service.ports
  double.pay(sessionId)
  double.refund(sessionId)
  await service.deliver(eventOf('refund.created.succeeded'))
  // Stripe has been out of reach since: the purchase is still open.
  service.clock.advance(30 * DAY_MS)
  const upTo = new Date(service.clock.now().getTime() - 2 * DAY_MS)
  expect(await retention.prune('foreign_reversals', { upTo, limit: 10 })).toBe(0)
  await service.deliver(eventOf('checkout.session.completed.paid'))
  expect(await hasPremium()).toBe(false)
})
