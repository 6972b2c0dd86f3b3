import { describe, expect, test } from 'bun:test'
import { signedDelivery } from '../../support/stripe/stripe-events.ts'
import { stripeSetup, withPayment } from '../../support/stripe/stripe-setup.ts'

const start = stripeSetup()
const startWithPayment = async () => withPayment(await start())

describe('undelivered notifications', () => {
  test('are read as the webhook would have read them', async () => {
    const { double, gateway, clock, sessionId, since } = await startWithPayment()
    double.refund(sessionId, { amount: 100 })
    double.closeDispute(
      String(double.dispute(sessionId, 'chargeback')[0]?.data.object['id']),
      'won',
    )
    const told: unknown[] = []
    for (const event of double.events) {
      const delivery = await signedDelivery(event, {
        secret: double.webhookSecret,
        at: clock.now(),
      })
      told.unshift(await gateway.verifyEvent(delivery))
    }
    expect(told).toHaveLength(6)
    const page = await gateway.findUndeliveredNotifications({ since, cursor: null })
    expect(page).toEqual({ items: told as [], unreadable: [], cursor: null })
  })

  test('are those that not every webhook has taken, of the types that mean something', async () => {
    const { double, gateway, sessionId, since } = await startWithPayment()
    const find = async () => {
      const { items } = await gateway.findUndeliveredNotifications({ since, cursor: null })
      return items.map(({ eventType }) => eventType)
    }
    const events = double.refund(sessionId, { amount: 100 })
    double.emit('customer.created', { id: 'cus_1', object: 'customer' })
    expect(await find()).toEqual(['charge.refunded', 'refund.created'])
    for (const event of events) double.markDelivered(event)
    expect(await find()).toEqual([])
    double.markUndelivered(events[0]!)
    expect(await find()).toEqual(['refund.created'])
    double.forgetEvents()
    expect(await find()).toEqual([])
  })

  test('go on where a page ended, also when its last event has been delivered since', async () => {
    const { double, gateway, sessionId, since } = await startWithPayment()
    for (let count = 0; count < 60; count++) double.refund(sessionId, { amount: 1 })
    const first = await gateway.findUndeliveredNotifications({ since, cursor: null })
    for (const { eventId } of first.items) {
      double.markDelivered(double.events.find(({ id }) => id === eventId)!)
    }
    const second = await gateway.findUndeliveredNotifications({ since, cursor: first.cursor })
    expect([first.items.length, second.items.length, second.cursor]).toEqual([100, 20, null])
  })

  test('without an object in them are named, and hide no others', async () => {
    const { double, gateway, sessionId, since } = await startWithPayment()
    const [first] = double.refund(sessionId, { amount: 1 })
    double.refund(sessionId, { amount: 1 })
    first!.data.object = {}
    const page = await gateway.findUndeliveredNotifications({ since, cursor: null })
    expect(page.unreadable).toEqual([first!.id])
    expect(page.items).toHaveLength(3)
  })

  test('about money of the other mode mean nothing', async () => {
    const { double, gateway, sessionId, since } = await startWithPayment()
    for (const event of double.refund(sessionId)) event.livemode = true
    const { items } = await gateway.findUndeliveredNotifications({ since, cursor: null })
    expect(items.map(({ kind }) => kind)).toEqual(['other', 'other'])
  })
})
