import { expect } from 'bun:test'
import { MINUTE_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import type { Actor } from '../../../domain/grant-change.ts'
import type { Answered } from '../http/http-client.ts'
import type { seededRandom } from '../seeded-random.ts'
import { turn } from '../stopped-timers.ts'
import type { StripeEvent } from '../stripe/stripe-events.ts'
import { stripeSetup } from '../stripe/stripe-setup.ts'
import type { OpenPlace } from './places.ts'
import { serviceSetup } from './real-service.ts'

/** About as many turns of the event loop as an answer of the double of Stripe takes, and some more. */
const TURNS_TO_ASK_MAX = 40

/** What was answered to everyone. */
export type Told = Record<'deliveries' | 'pages' | 'checkouts', readonly Answered[]>

/** Gives tests shops of which everyone who can learn of a payment does so at the same moment. */
export function toldShopSetup(openPlace: OpenPlace) {
  const startStripe = stripeSetup()
  const openService = serviceSetup(openPlace)

  /** Two processes in front of one database, and the Stripe that both of them ask. */
  return async function openShop() {
    const { double, clock } = await startStripe()
    const service = await openService({ stripe: double, clock })
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
          for (let turns = random.below(TURNS_TO_ASK_MAX); turns > 0; turns--) await turn()
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
}
