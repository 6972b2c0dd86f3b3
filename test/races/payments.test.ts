import { describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../domain/duration.ts'
import { type Email, parseEmail } from '../../domain/email.ts'
import { answers, EMAIL } from '../support/http/http-client.ts'
import { checkLedger } from '../support/payments/sound-ledger.ts'
import { PLACES } from '../support/service/places.ts'
import { atOnce, countStatuses, serviceSetup } from '../support/service/real-service.ts'
import { stripeSetup } from '../support/stripe/stripe-setup.ts'

const CHECKOUTS_MAX = 50
const ACTIVE = answers(409, 'Premium access already active')

const startStripe = stripeSetup()

/** One address, as different people and programs write it. */
function spellingsOf(local: string): string[] {
  const capitals = local.toUpperCase()
  return [
    `${local}@bücher.example`,
    ` ${capitals}@BÜCHER.example`,
    `${local}@xn--bcher-kva.example\t`,
    `${capitals}@XN--BCHER-KVA.Example  `,
    `\t${local}@b\u0075\u0308cher.EXAMPLE`,
  ]
}

describe.each(PLACES)('on %s', (_, openPlace) => {
  const openService = serviceSetup(openPlace)

  /** Two processes in front of one database, and the Stripe that both of them ask. */
  async function openWithStripe() {
    const { double, clock } = await startStripe()
    const service = await openService({ stripe: double, clock })
    const processes = [service, service.openProcess()]
    const inTurn = (index: number) => processes[index % processes.length]!
    const accountOf = (email: Email) => service.ports.purchases.findAccount(email)
    return { double, service, inTurn, accountOf }
  }

  /** A buyer who has the payment page open. */
  async function openWithSession() {
    const opened = await openWithStripe()
    await opened.service.verify(EMAIL)
    const { body } = await opened.service.post('/checkout', { email: EMAIL })
    const { sessionId } = body as { sessionId: string }
    const success = (index: number) =>
      opened.inTurn(index).get(`/payment/success?session_id=${sessionId}`)
    const checkout = (index: number) => opened.inTurn(index).post('/checkout', { email: EMAIL })
    return { ...opened, sessionId, success, checkout }
  }

  describe('parallel checkouts of one address', () => {
    test('open one session each time, be they 2 or 50 and however it is spelled', async () => {
      const { double, service, inTurn, accountOf } = await openWithStripe()
      let checkouts = 0
      for (let count = 2; count <= CHECKOUTS_MAX; count++) {
        const spellings = spellingsOf(`mario${count}`)
        const email = parseEmail(spellings[0])
        await service.verify(email)
        const known = new Set(double.sessions.keys())

        const got = await atOnce(count, (index) =>
          inTurn(index).post('/checkout', { email: spellings[index % spellings.length] }),
        )

        const made = [...double.sessions.values()].filter(({ id }) => !known.has(id))
        expect(made).toMatchObject([{ customer_email: email, status: 'open' }])
        const [{ id: sessionId, url: checkoutUrl }] = made as [(typeof made)[0]]
        for (const { status, body } of got) {
          const expected = { status: 200, body: { success: true, checkoutUrl, sessionId } }
          expect({ count, status, body }).toEqual({ count, ...expected })
          checkouts++
        }
        const { purchases } = await accountOf(email)
        expect(purchases).toMatchObject([{ state: 'open', sessionId }])
      }
      expect(double.sessions.size).toBe(CHECKOUTS_MAX - 1)
      console.log(
        `parallel checkouts: 2 to ${CHECKOUTS_MAX} at once, ${checkouts} in all, ${double.sessions.size} sessions for ${CHECKOUTS_MAX - 1} addresses`,
      )
    })

    test('open one session also while Stripe is still making it for all 50', async () => {
      const { double, service, inTurn } = await openWithStripe()
      await service.verify(EMAIL)
      const release = double.hold('POST /v1/checkout/sessions')

      const checkouts = atOnce(50, (index) => inTurn(index).post('/checkout', { email: EMAIL }))
      await double.seen(50)
      release()
      const got = await checkouts

      expect(double.sessions.size).toBe(1)
      expect(countStatuses(got)).toEqual({ 200: 50 })
      expect(new Set(got.map(({ text }) => text)).size).toBe(1)
    })

    test('replace a page that is about to close by one new page, and the old one takes no money', async () => {
      const { double, service, checkout } = await openWithSession()
      service.clock.advance(29 * MINUTE_MS)

      const got = await atOnce(50, checkout)

      expect(countStatuses(got)).toEqual({ 200: 50 })
      expect(new Set(got.map(({ text }) => text)).size).toBe(1)
      expect([...double.sessions.values()].map(({ status }) => status)).toEqual(['expired', 'open'])
    })
  })

  describe('a payment', () => {
    test('of which 50 parallel deliveries tell gives one grant', async () => {
      const { double, service, inTurn, sessionId, accountOf } = await openWithSession()
      const paid = double.pay(sessionId).at(-1)!

      const got = await atOnce(50, (index) =>
        service.deliver(paid, index % 2 ? '/webhook/stripe' : '/webhook/payment', inTurn(index)),
      )

      for (const { status, body } of got) {
        expect({ status, body }).toEqual({ status: 200, body: { received: true } })
      }
      expect(await accountOf(EMAIL)).toMatchObject({
        purchases: [{ state: 'paid', sessionId }],
        grants: [{ email: EMAIL, payment: { amountPaid: 400 } }],
      })
      expect((await accountOf(EMAIL)).grants).toHaveLength(1)
      await checkLedger(service.ports)
    })

    test('that webhook, success page and checkout learn of at the same moment gives one grant', async () => {
      const { double, service, inTurn, sessionId, success, checkout, accountOf } =
        await openWithSession()
      const events = double.pay(sessionId)

      const [deliveries, pages, checkouts] = await Promise.all([
        atOnce(3 * events.length, (index) =>
          service.deliver(events[index % events.length]!, '/webhook/stripe', inTurn(index)),
        ),
        atOnce(20, success),
        atOnce(20, checkout),
      ])

      expect(countStatuses(deliveries)).toEqual({ 200: deliveries.length })
      expect(countStatuses(pages)).toEqual({ 200: 20 })
      for (const { text } of pages) expect(text).toContain('data-state="active"')
      for (const answer of checkouts) expect(answer).toMatchObject(ACTIVE)
      const account = await accountOf(EMAIL)
      expect([account.purchases.length, account.grants.length]).toEqual([1, 1])
      expect(double.sessions.size).toBe(1)
      await checkLedger(service.ports)
    })

    test('without a notification is found by parallel success pages and checkouts, once', async () => {
      const { double, service, sessionId, success, checkout, accountOf } = await openWithSession()
      double.pay(sessionId)

      const [pages, checkouts] = await Promise.all([atOnce(20, success), atOnce(20, checkout)])

      expect(countStatuses(pages)).toEqual({ 200: 20 })
      for (const answer of checkouts) expect(answer).toMatchObject(ACTIVE)
      expect((await accountOf(EMAIL)).grants).toHaveLength(1)
      const settled = service.ports.log.lines.filter(({ event }) => event === 'purchase.changed')
      expect(settled).toMatchObject([{ fields: { state: 'paid', session: sessionId } }])
    })

    test('made while parallel checkouts retire its page is kept, and no second page is opened', async () => {
      const { double, service, sessionId, checkout, accountOf } = await openWithSession()
      service.clock.advance(29 * MINUTE_MS)
      const releases = Array.from({ length: 20 }, () =>
        double.hold('POST /v1/checkout/sessions/:id/expire'),
      )

      const checkouts = atOnce(20, checkout)
      await double.seen(double.count() + 20)
      double.pay(sessionId)
      for (const release of releases) release()

      for (const answer of await checkouts) expect(answer).toMatchObject(ACTIVE)
      expect((await accountOf(EMAIL)).grants).toHaveLength(1)
      expect(double.sessions.size).toBe(1)
    })

    test('and its full refund, notified many times at the same moment, end without premium', async () => {
      const { double, service, inTurn, sessionId } = await openWithSession()
      const events = [...double.pay(sessionId), ...double.refund(sessionId)]

      const got = await atOnce(5 * events.length, (index) =>
        service.deliver(events[index % events.length]!, '/webhook/stripe', inTurn(index)),
      )

      expect(countStatuses(got)).toEqual({ 200: got.length })
      expect(await service.hasPremium(EMAIL)).toBe(false)
      await checkLedger(service.ports)
    })
  })
})
