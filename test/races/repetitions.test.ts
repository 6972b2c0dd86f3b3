import { describe, expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../domain/duration.ts'
import { type Email, parseEmail } from '../../domain/email.ts'
import type { Actor } from '../../domain/grant-change.ts'
import { isActive } from '../../domain/premium-grant.ts'
import { type Answered, answers } from '../support/http/http-client.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { atOnce, countStatuses, openService } from '../support/service/real-service.ts'
import type { StripeEvent } from '../support/stripe/stripe-events.ts'
import { stripeSetup } from '../support/stripe/stripe-setup.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

const BUYERS = IS_WHOLE ? 200 : 50

/** About as many turns of the event loop as an answer of the double of Stripe takes, and some more. */
const TURNS_TO_ASK_MAX = 40
const TWICE = IS_WHOLE ? 50 : 20
const TIME_LIMIT_MS = 240_000
const ACTIVE = answers(409, 'Premium access already active')

const startStripe = stripeSetup()

/** Two processes in front of one database, and the Stripe that both of them ask. */
async function openShop() {
  const { double, clock } = await startStripe()
  const service = openService({ stripe: double, clock })
  const second = service.openProcess()
  const processes = [service, second]
  const { ports } = service

  return {
    double,
    service,
    clock,
    /** Two processes in front of one database, taken in turn. */
    inTurn: (index: number) => processes[index % processes.length]!,
    async openSession(email: string): Promise<string> {
      await service.verify(email)
      const { body } = await service.post('/checkout', { email })
      return (body as { sessionId: string }).sessionId
    },
    async deliverAll(events: readonly StripeEvent[]): Promise<void> {
      for (const event of events) {
        expect(await service.deliver(event)).toMatchObject({ status: 200 })
        double.markDelivered(event)
      }
    },
    /** Rounds of the outbox in both processes at once, until nothing can be due any more. */
    async emptyOutbox(): Promise<void> {
      for (let round = 0; round < 3; round++) {
        await Promise.all([
          service.deliverOutbox(),
          service.deliverOutbox(second),
          service.deliverOutbox(),
        ])
        clock.advance(2 * MINUTE_MS)
      }
    },
    account: (email: Email) => ports.purchases.findAccount(email),
    /** Who made the purchase a paid one: exactly one entry, if all is well. */
    async settledBy(email: Email, sessionId: string): Promise<Actor[]> {
      const purchase = await ports.purchases.findBySessionId(sessionId)
      const entries = await ports.auditTrail.findByEmail(email)
      return entries
        .filter(({ reason, grantId }) => reason === 'paid' && grantId === purchase?.id)
        .map(({ by }) => by)
    },
    /** Everyone who can learn of the payments does so at the same moment, in both processes. */
    async tellEveryone(
      email: string,
      payments: readonly { sessionId: string; paid: StripeEvent }[],
      random: ReturnType<typeof seededRandom>,
    ): Promise<Told> {
      const deliveries: Promise<Answered>[] = []
      const pages: Promise<Answered>[] = []
      const checkouts: Promise<Answered>[] = []
      const sweeps: Promise<unknown>[] = []
      const learners = processes.flatMap((one) => [
        () => sweeps.push(service.reconcile('due', one)),
        () => checkouts.push(one.post('/checkout', { email })),
        ...payments.flatMap(({ sessionId, paid }) => [
          () => deliveries.push(service.deliver(paid, '/webhook/stripe', one)),
          () => pages.push(one.get(`/payment/success?session_id=${sessionId}`)),
        ]),
      ])
      const [first, ...others] = random.shuffle(learners)
      const known = double.count()
      first?.()
      // The others have to ask Stripe and get a head start of some turns of the event loop, or the webhook, which is
      // done after one, would nearly always come first.
      if (deliveries.length === 0) {
        await Promise.race([double.seen(known + 1), ...pages, ...checkouts, ...sweeps])
        for (let turns = random.below(TURNS_TO_ASK_MAX); turns > 0; turns--) await nextTurn()
      }
      for (const learn of others) learn()

      await Promise.all(sweeps)
      return {
        deliveries: await Promise.all(deliveries),
        pages: await Promise.all(pages),
        checkouts: await Promise.all(checkouts),
      }
    },
  }
}

type Told = Record<'deliveries' | 'pages' | 'checkouts', readonly Answered[]>

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
  const contents = shop.service.contents()
  expect(contents['purchases']).toMatchObject([{ state: 'paid', session_id: sessionId }])
  expect(contents['audit_entries']).toMatchObject([{ reason: 'paid', by_whom: 'webhook' }])
  expect(contents['outbox']).toMatchObject([{ kind: 'payment_confirmed', state: 'done' }])
  expect((await shop.account(email)).grants).toHaveLength(1)
  expect(shop.service.sentNotices).toMatchObject([{ kind: 'payment_confirmed', to: email }])
  console.log(`the same event: ${received} deliveries, 1 grant, 1 entry, 1 message, 1 mail`)
}, 60_000)

describe('webhook, success page, reconciler and checkout at the same moment', () => {
  test(
    `give ${BUYERS} buyers one grant, one entry and one mail each`,
    async () => {
      const shop = await openShop()
      const random = seededRandom(1)
      const winners: Actor[] = []

      for (let buyer = 0; buyer < BUYERS; buyer++) {
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

      const contents = shop.service.contents()
      for (const table of ['purchases', 'audit_entries', 'outbox']) {
        expect(contents[table]).toHaveLength(BUYERS)
      }
      expect(shop.double.sessions.size).toBe(BUYERS)
      expect(shop.service.sentNotices).toHaveLength(BUYERS)
      // Or only one of them would ever have raced.
      for (const actor of ['webhook', 'page', 'reconciler', 'checkout']) {
        expect(winners).toContain(actor as Actor)
      }
      console.log(
        `payments told of at the same moment: ${BUYERS} buyers, ${contents['audit_entries']?.length} grants,`,
        `${shop.service.sentNotices.length} mails; first to know: ${JSON.stringify(tally(winners))}`,
      )
    },
    TIME_LIMIT_MS,
  )

  test(
    `send the second payment of ${BUYERS} buyers back once each, and the first stays what it was`,
    async () => {
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
    },
    TIME_LIMIT_MS,
  )

  test(
    `let exactly one of two payments count where ${TWICE} buyers pay two pages at once`,
    async () => {
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
      expect(firstCounted).toBeWithin(1, TWICE)
      console.log(
        `two pages paid at once: ${TWICE} buyers, ${double.refunds.size} refunds, 1 grant and 1 mail each;`,
        `the first page counted ${firstCounted} times`,
      )
    },
    TIME_LIMIT_MS,
  )
})

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
