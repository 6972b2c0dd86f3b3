import { describe, expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import { parseEmail } from '../../domain/email.ts'
import type { Actor } from '../../domain/grant-change.ts'
import { isActive } from '../../domain/premium-grant.ts'
import { answers } from '../support/http/http-client.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { PLACES } from '../support/service/places.ts'
import { atOnce, countStatuses } from '../support/service/real-service.ts'
import { type Told, toldShopSetup } from '../support/service/told-shop.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

const ACTIVE = answers(409, 'Premium access already active')
const ACTORS: readonly Actor[] = ['webhook', 'page', 'reconciler', 'checkout']

function expectHonestAnswers({ deliveries, pages, checkouts }: Told): void {
  expect(countStatuses(deliveries)).toEqual({ 200: deliveries.length })
  expect(countStatuses(pages)).toEqual({ 200: pages.length })
  for (const { text } of pages) expect(text).toContain('data-state="active"')
  expect(checkouts).toMatchObject([ACTIVE, ACTIVE])
}

function tally(actors: readonly Actor[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const actor of actors) counts[actor] = (counts[actor] ?? 0) + 1
  return counts
}

describe.each(PLACES)('on %s', (database, openPlace) => {
  // A round trip to a server takes longer than a call of SQLite.
  const BUYERS = database !== 'sqlite' ? 40 : IS_WHOLE ? 200 : 60
  const TWICE = database === 'sqlite' && IS_WHOLE ? 50 : 20

  const openShop = toldShopSetup(openPlace)

  test('the same event 1,000 times, 50 at once, is one payment, one entry, one message and one mail', async () => {
    const shop = await openShop()
    const email = parseEmail('ada@example.com')
    const sessionId = await shop.openSession(email)
    const paid = shop.double.pay(sessionId).at(-1)!

    let received = 0
    for (let wave = 0; wave < 20; wave++) {
      const got = await atOnce(50, (index) =>
        shop.service.deliver(paid, '/webhook/stripe', shop.inTurn(index)),
      )
      for (const { status, body } of got) {
        expect({ status, body }).toEqual({ status: 200, body: { received: true } })
        received++
      }
      await shop.emptyOutbox()
    }

    expect(received).toBe(1000)
    const contents = await shop.service.contents()
    expect(contents['purchases']).toMatchObject([{ state: 'paid', session_id: sessionId }])
    expect(contents['audit_entries']).toMatchObject([{ reason: 'paid', by_whom: 'webhook' }])
    expect(contents['outbox']).toMatchObject([{ kind: 'payment_confirmed', state: 'done' }])
    expect((await shop.account(email)).grants).toHaveLength(1)
    expect(shop.service.sentNotices).toMatchObject([{ kind: 'payment_confirmed', to: email }])
    console.log(`the same event: ${received} deliveries, 1 grant, 1 entry, 1 message, 1 mail`)
  })

  describe('webhook, success page, reconciler and checkout at the same moment', () => {
    test(`give ${BUYERS} buyers and more one grant, one entry and one mail each`, async () => {
      const shop = await openShop()
      const random = seededRandom(1)
      const winners: Actor[] = []

      let buyer = 0
      // Until each of them has been the first to know: who that is hangs on the machine, too.
      for (; buyer < BUYERS || !ACTORS.every((actor) => winners.includes(actor)); buyer++) {
        const email = parseEmail(`buyer-${buyer}@example.com`)
        const sessionId = await shop.openSession(email)
        const paid = shop.double.pay(sessionId).at(-1)!
        expectHonestAnswers(await shop.tellEveryone(email, [{ sessionId, paid }], random))
        await shop.emptyOutbox()

        const { purchases, grants } = await shop.account(email)
        expect(purchases).toMatchObject([{ state: 'paid', sessionId, isDuplicate: false }])
        expect(grants).toMatchObject([{ email, payment: { amountPaid: 400 } }])
        const settledBy = await shop.settledBy(email, sessionId)
        expect(settledBy).toHaveLength(1)
        winners.push(...settledBy)
        const mails = shop.service.sentNotices.filter(({ to }) => to === email)
        expect(mails).toMatchObject([{ kind: 'payment_confirmed' }])
        // From one day to the next every sweep becomes due.
        shop.clock.advance(DAY_MS)
      }

      const contents = await shop.service.contents()
      for (const table of ['purchases', 'audit_entries', 'outbox']) {
        expect(contents[table]).toHaveLength(buyer)
      }
      expect(shop.double.sessions.size).toBe(buyer)
      expect(shop.service.sentNotices).toHaveLength(buyer)
      console.log(
        `payments told of at the same moment: ${buyer} buyers, ${contents['audit_entries']?.length} grants,`,
        `${shop.service.sentNotices.length} mails; first to know: ${JSON.stringify(tally(winners))}`,
      )
    })

    test(`send the second payment of ${BUYERS} buyers back once each, and the first stays what it was`, async () => {
      const shop = await openShop()
      const { double, service } = shop
      const random = seededRandom(2)
      const winners: Actor[] = []

      for (let buyer = 0; buyer < BUYERS; buyer++) {
        const email = parseEmail(`buyer-${buyer}@example.com`)
        const first = await shop.openSession(email)
        await shop.deliverAll(double.pay(first))
        await shop.emptyOutbox()
        // The bank asks for the money, so that the buyer can order again, and then gives it back after all.
        await shop.deliverAll(double.dispute(first, 'chargeback'))
        const second = await shop.openSession(email)
        const disputeId = [...double.disputes.keys()].at(-1)!
        await shop.deliverAll(double.closeDispute(disputeId, 'won'))

        const paid = double.pay(second).at(-1)!
        expectHonestAnswers(await shop.tellEveryone(email, [{ sessionId: second, paid }], random))
        await shop.emptyOutbox()
        await shop.deliverAll(double.held())

        const { purchases, grants } = await shop.account(email)
        expect(purchases).toMatchObject([
          { state: 'paid', sessionId: first, isDuplicate: false },
          { state: 'paid', sessionId: second, isDuplicate: true },
        ])
        expect(grants.map(isActive)).toEqual([true, false])
        const settledBy = await shop.settledBy(email, second)
        expect(settledBy).toHaveLength(1)
        winners.push(...settledBy)
        const intent = double.sessions.get(second)?.payment_intent
        const refunds = [...double.refunds.values()].filter((one) => one.payment_intent === intent)
        expect(refunds).toMatchObject([{ amount: 400, reason: 'duplicate' }])
        // The confirmation of the first payment, and none of the second.
        expect(service.sentNotices.filter(({ to }) => to === email)).toHaveLength(1)
        shop.clock.advance(DAY_MS)
      }

      expect(double.refunds.size).toBe(BUYERS)
      expect(double.count('POST /v1/refunds')).toBe(BUYERS)
      const warned = service.ports.log.lines.filter(({ event }) => event === 'payment.duplicate')
      expect(warned).toHaveLength(BUYERS)
      console.log(
        `second payments told of at the same moment: ${BUYERS} buyers, ${double.refunds.size} refunds,`,
        `0 further mails; first to know: ${JSON.stringify(tally(winners))}`,
      )
    })

    test(`let exactly one of two payments count where ${TWICE} buyers pay two pages at once`, async () => {
      const shop = await openShop()
      const { double, service } = shop
      const random = seededRandom(3)
      let firstCounted = 0

      for (let buyer = 0; buyer < TWICE; buyer++) {
        const email = parseEmail(`buyer-${buyer}@example.com`)
        await service.verify(email)
        // Stripe has made the page, and Alibi did not understand its answer: a minute later there is another one.
        double.fault('wrong_id')
        expect(await service.post('/checkout', { email })).toMatchObject({ status: 503 })
        const lost = [...double.sessions.keys()].at(-1)!
        shop.clock.advance(MINUTE_MS + 1)
        const { body } = await service.post('/checkout', { email })
        const { sessionId } = body as { sessionId: string }
        expect(sessionId).not.toBe(lost)

        const payments = [lost, sessionId].map((id) => ({
          sessionId: id,
          paid: double.pay(id).at(-1)!,
        }))
        expectHonestAnswers(await shop.tellEveryone(email, payments, random))
        await shop.emptyOutbox()

        const { purchases, grants, refunds } = await shop.account(email)
        const duplicates = purchases.map((one) => one.state === 'paid' && one.isDuplicate)
        expect(duplicates.toSorted()).toEqual([false, true])
        expect(grants.map(isActive)).toEqual(duplicates.map((isDuplicate) => !isDuplicate))
        expect(refunds).toMatchObject([{ amount: 400 }])
        expect(service.sentNotices.filter(({ to }) => to === email)).toHaveLength(1)
        if (duplicates[1]) firstCounted++
        shop.clock.advance(DAY_MS)
      }

      expect(double.refunds.size).toBe(TWICE)
      expect(firstCounted).toBeLessThan(TWICE)
      console.log(
        `two pages paid at once: ${TWICE} buyers, ${double.refunds.size} refunds, 1 grant and 1 mail each;`,
        `the first page counted ${firstCounted} times`,
      )
    })
  })
})
