import type { Clock, PaymentGateway, SandboxDesk, SandboxSession } from '../application/ports.ts'
import type { Price, SessionReport } from '../domain/purchase.ts'
import { type SandboxDelivery, sandboxCourier } from './sandbox-courier.ts'
import { expandedSessionObject, sandboxEvent } from './sandbox-events.ts'
import { act, expire, expireWhenDue } from './sandbox-payment.ts'
import type { SandboxSessionRecord, SandboxSessionStore } from './sandbox-session.ts'
import { stripeNotifications } from './stripe-notifications.ts'
import { outcomeOf, toSessionReport } from './stripe-objects.ts'

/**
 * A payment provider without accounts, cards and money, for development. It behaves as Stripe does: its sessions
 * expire, its notifications are Stripe events under Stripe's signature, and they come again until they are taken.
 */
export function sandboxPaymentGateway({
  sessions,
  price,
  productName,
  publicUrl,
  webhookSecret,
  deliver,
  wait,
  clock,
  newId,
}: {
  sessions: SandboxSessionStore
  price: Price
  productName: string
  publicUrl: string
  webhookSecret: string
  /** Resolves true once the notification was taken; anything else has it sent again. */
  deliver: (delivery: SandboxDelivery) => Promise<boolean>
  wait: (milliseconds: number) => Promise<void>
  clock: Clock
  /** The prefix, with something behind it that no other id has. */
  newId: (prefix: string) => string
}): { gateway: PaymentGateway; desk: SandboxDesk; stop(): void } {
  const courier = sandboxCourier({ webhookSecret, deliver, wait, clock })
  const pageOf = (sessionId: string) => `${publicUrl}/sandbox/pay/${sessionId}`

  /** One step of a session, after which the world hears what happened. */
  async function move(
    sessionId: string,
    step: (record: SandboxSessionRecord) => SandboxSessionRecord,
  ): Promise<SandboxSessionRecord | null> {
    const transitions: { before: SandboxSessionRecord; after: SandboxSessionRecord }[] = []
    const now = clock.now()
    const moved = await sessions.update(sessionId, (before) => {
      const after = step(before)
      if (after !== before) transitions.push({ before, after })
      return after
    })
    for (const transition of transitions) {
      const event = sandboxEvent(transition, { id: newId('evt_'), now, url: pageOf(sessionId) })
      if (event) courier.send(event)
    }
    return moved
  }

  /** A look at a session is also when it expires. */
  const look = (sessionId: string) =>
    move(sessionId, (record) => expireWhenDue(record, clock.now()))

  function report(record: SandboxSessionRecord): SessionReport {
    const session = expandedSessionObject(record, pageOf(record.sessionId))
    return toSessionReport(session, outcomeOf(session))
  }

  function show({ sessionId, price, state }: SandboxSessionRecord): SandboxSession {
    return {
      sessionId,
      productName,
      price,
      state,
      successUrl: `${publicUrl}/payment/success?session_id=${sessionId}`,
      cancelUrl: `${publicUrl}/payment/cancel`,
    }
  }

  const gateway: PaymentGateway = {
    live: false,
    price: async () => price,
    async createSession(purchase) {
      const { sessionId } = await sessions.create({
        sessionId: newId('cs_sandbox_'),
        purchaseId: purchase.id,
        customerEmail: purchase.email,
        price: purchase.price,
        state: 'open',
        createdAt: clock.now(),
        expiresAt: purchase.expiresAt,
        paymentIntentId: null,
      })
      return { sessionId, checkoutUrl: pageOf(sessionId) }
    },
    async readSession(sessionId) {
      const record = await look(sessionId)
      return record && report(record)
    },
    async expireSession(sessionId) {
      const record = await move(sessionId, expire)
      return record && report(record)
    },
    listRefunds: async () => [],
    readNotification: stripeNotifications({ webhookSecrets: [webhookSecret], live: false, clock }),
  }

  const desk: SandboxDesk = {
    async find(sessionId) {
      const record = await look(sessionId)
      return record && show(record)
    },
    async act(sessionId, action) {
      const record = await move(sessionId, (current) =>
        act(expireWhenDue(current, clock.now()), action, newId('pi_sandbox_')),
      )
      return record && show(record)
    },
  }

  return { gateway, desk, stop: () => courier.stop() }
}
