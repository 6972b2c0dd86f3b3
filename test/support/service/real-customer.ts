import { expect } from 'bun:test'
import type { Outage } from '../../../application/unavailable.ts'
import type { Email } from '../../../domain/email.ts'
import type { fixedClock } from '../fakes.ts'
import { EMAIL } from '../http/http-client.ts'
import { type BreakDatabase, closeDatabase } from '../stores/database-faults.ts'
import type { StripeEvent } from '../stripe/stripe-events.ts'
import { stripeSetup } from '../stripe/stripe-setup.ts'
import type { StripeDouble } from '../stripe-double/stripe-double.ts'
import type { OpenPlace } from './places.ts'
import { type Service, type ServiceOptions, serviceSetup } from './real-service.ts'

export type Process = ReturnType<Service['openProcess']>
export type Customer = ReturnType<Awaited<ReturnType<ReturnType<typeof customerSetup>>>>

export type ShopOptions = Omit<ServiceOptions, 'stripe' | 'clock'>

/** Gives tests shops with a Stripe double, by default on a file, and customers of them who have done nothing yet. */
export function customerSetup(openPlace?: OpenPlace) {
  const startStripe = stripeSetup()
  const openService = serviceSetup(openPlace)

  return async function openShop(options: ShopOptions = {}) {
    const { double, clock } = await startStripe()
    const service = await openService({ ...options, stripe: double, clock })
    return (email: Email = EMAIL) => customerOf({ double, clock, service, email })
  }
}

function customerOf({
  double,
  clock,
  service,
  email,
}: {
  double: StripeDouble
  clock: ReturnType<typeof fixedClock>
  service: Service
  email: Email
}) {
  const checkOut = () => service.post('/checkout', { email })

  async function openPage(): Promise<string> {
    await service.verify(email)
    const { body } = await checkOut()
    return (body as { sessionId: string }).sessionId
  }

  async function deliver(events: readonly StripeEvent[]): Promise<void> {
    for (const event of events) expect(await service.deliver(event)).toMatchObject({ status: 200 })
  }

  async function pay(): Promise<string> {
    const sessionId = await openPage()
    await deliver(double.pay(sessionId))
    return sessionId
  }

  return {
    double,
    service,
    clock,
    email,
    verify: () => service.verify(email),
    checkOut,
    /** The session whose page the customer has open from now on. */
    openPage,
    deliver,
    /** Pays, and everyone has heard of it; returns the session. */
    pay,
    /** Pays again while the bank has the first payment back; returns the second session. */
    async payTwice(): Promise<string> {
      const first = await pay()
      await service.deliverOutbox()
      await deliver(double.dispute(first, 'chargeback'))
      const second = await openPage()
      const disputeId = [...double.disputes.keys()].at(-1) ?? ''
      await deliver([...double.closeDispute(disputeId, 'won'), ...double.pay(second)])
      return second
    },
    /** Makes the database fail the service; what is returned mends it, and says who serves from then on. */
    fails(breakDatabase: BreakDatabase): () => Process {
      const { connection, place, close } = service
      if (connection === null || place.path === null)
        throw new Error('only a file fails in this way')
      const mend = breakDatabase({ connection, path: place.path, close })
      return () => {
        mend()
        return breakDatabase === closeDatabase ? service.openProcess() : service
      }
    },
    /** The lines that tell of something outside that does not answer. */
    outages: (outage: Outage) =>
      service.ports.log.lines.filter(({ fields }) => fields['outage'] === outage),
    /** Which routes of Stripe are asked from now on, in order. */
    asked() {
      const from = double.requests.length
      return () => double.requests.slice(from).map(({ route }) => route)
    },
    async states(): Promise<readonly string[]> {
      const { purchases } = await service.ports.purchases.findAccount(email)
      return purchases.map(({ state }) => state)
    },
    /** How the pages stand at Stripe, in the order of their making. */
    pages: (): readonly (string | null)[] =>
      [...double.sessions.values()].map(({ status }) => status),
  }
}
