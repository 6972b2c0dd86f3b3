import type {
  Clock,
  ListPage,
  ListWindow,
  PaymentCalls,
  PaymentNotifications,
} from '../../application/ports.ts'
import type { SandboxCheckout, SandboxSession } from '../../application/sandbox-checkout.ts'
import { Unavailable } from '../../application/unavailable.ts'
import type { Price } from '../../domain/order.ts'
import type { SessionReport } from '../../domain/session-report.ts'
import type { OrderSeals } from '../secrets/order-seals.ts'
import { eventTranslation } from '../stripe/events.ts'
import { stripeNotifications } from '../stripe/notifications.ts'
import { type ReturnUrls, sessionReports, successUrl } from '../stripe/session-reports.ts'
import { expandedSessionObject, type SandboxPage, sandboxEvent } from './events.ts'
import {
  applyAction,
  expire,
  expireWhenDue,
  isComplete,
  type SandboxSessionRecord,
  type SandboxSessionStore,
} from './session.ts'
import { type SandboxDelivery, webhookSender } from './webhook-sender.ts'

const PAGE_SIZE = 100
const NOTHING_LISTED = { items: [], unreadable: [], cursor: null } as const

/**
 * A payment provider without accounts, cards and money, for development. It behaves as Stripe does: its sessions
 * expire, its notifications are Stripe events under Stripe's signature, and they come again until they are taken.
 */
export function sandboxPaymentGateway({
  sessions,
  price,
  productName,
  payUrl,
  returnUrls,
  seals,
  webhookSecret,
  deliver,
  wait,
  clock,
  newId,
}: {
  sessions: SandboxSessionStore
  price: Price
  productName: string
  /** The address of the payment pages, to which the id of a session is appended. */
  payUrl: string
  returnUrls: ReturnUrls
  seals: OrderSeals
  webhookSecret: string
  /** Resolves true once the notification was taken; anything else has it sent again. */
  deliver: (delivery: SandboxDelivery) => Promise<boolean>
  wait: (milliseconds: number) => Promise<void>
  clock: Clock
  /** Makes a unique id that begins with the prefix. */
  newId: (prefix: string) => string
}): {
  payments: PaymentCalls
  notifications: PaymentNotifications
  sandboxCheckout: SandboxCheckout
  stop(): void
} {
  const sender = webhookSender({ webhookSecret, deliver, wait, clock })
  const reportSession = sessionReports({ returnUrls, seals })
  const pageOf = (sessionId: string): SandboxPage => ({
    pageUrl: payUrl + sessionId,
    successUrl: successUrl(returnUrls, sessionId),
    seals,
  })

  /** Takes a step of a session, and sends its event to the webhook. */
  async function move(
    sessionId: string,
    step: (record: SandboxSessionRecord) => SandboxSessionRecord,
  ): Promise<SandboxSessionRecord | null> {
    let before: SandboxSessionRecord | undefined
    const now = clock.now()
    const after = await sessions.update(sessionId, (known) => {
      // It may be taken again where its transaction came to nothing. What counts is the last time.
      before = known
      return step(known)
    })
    if (before && after && after !== before) {
      const page = pageOf(sessionId)
      const event = sandboxEvent({ before, after }, { id: newId('evt_'), now, page })
      if (event) sender.send(event)
    }
    return after
  }

  /** Reads a session, which expires here once its time is over. */
  const look = (sessionId: string) =>
    move(sessionId, (record) => expireWhenDue(record, clock.now()))

  function report(record: SandboxSessionRecord): SessionReport {
    return reportSession(expandedSessionObject(record, pageOf(record.sessionId)))
  }

  /** One page of those that match; a page may have none of them. */
  async function listSessions(
    { since, cursor }: ListWindow,
    matches: (record: SandboxSessionRecord) => boolean,
  ): Promise<ListPage<SessionReport>> {
    const records = await sessions.list({ since, after: cursor, limit: PAGE_SIZE })
    const now = clock.now()
    const isLast = records.length < PAGE_SIZE
    return {
      items: records.filter(matches).map((record) => report(expireWhenDue(record, now))),
      unreadable: [],
      cursor: isLast ? null : (records.at(-1)?.sessionId ?? null),
    }
  }

  function show({ sessionId, price, state }: SandboxSessionRecord): SandboxSession {
    return {
      sessionId,
      productName,
      price,
      state,
      successUrl: pageOf(sessionId).successUrl,
      cancelUrl: returnUrls.cancel,
    }
  }

  const payments: PaymentCalls = {
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
      return { sessionId, checkoutUrl: pageOf(sessionId).pageUrl }
    },
    async readSession(sessionId) {
      const record = await look(sessionId)
      return record && report(record)
    },
    async expireSession(sessionId) {
      const record = await move(sessionId, expire)
      return record && report(record)
    },
    findSessions: ({ until, ...window }) =>
      listSessions(window, ({ createdAt }) => createdAt <= until),
    findCompletedSessions: (window) => listSessions(window, isComplete),
    // There is no money here that could be sent back, and what was not delivered is still on its way.
    listRefunds: async () => [],
    listDisputes: async () => [],
    async refundPayment() {
      const cause = new Error('the sandbox sends no money back')
      throw new Unavailable('payment', { cause, answered: true })
    },
    findUndeliveredNotifications: async () => NOTHING_LISTED,
    findRefunds: async () => NOTHING_LISTED,
    findDisputes: async () => NOTHING_LISTED,
  }

  const notifications = stripeNotifications({
    live: false,
    webhookSecrets: [webhookSecret],
    translate: eventTranslation({ live: false, reportSession }),
    clock,
  })

  const sandboxCheckout: SandboxCheckout = {
    async find(sessionId) {
      const record = await look(sessionId)
      return record && show(record)
    },
    async applyAction(sessionId, action) {
      const record = await move(sessionId, (current) =>
        applyAction(expireWhenDue(current, clock.now()), action, newId('pi_sandbox_')),
      )
      return record && show(record)
    },
  }

  return { payments, notifications, sandboxCheckout, stop: () => sender.stop() }
}
