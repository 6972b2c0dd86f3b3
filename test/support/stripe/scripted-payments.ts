import type {
  CheckoutSession,
  ListPage,
  ListWindow,
  PaymentCalls,
  PaymentEvent,
  PaymentNotifications,
} from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import type { Dispute } from '../../../domain/dispute.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Price } from '../../../domain/order.ts'
import type { OutboxKey } from '../../../domain/outbox.ts'
import type { Purchase } from '../../../domain/purchase.ts'
import type { Refund } from '../../../domain/refund.ts'
import type { SessionOutcome, SessionReport } from '../../../domain/session-report.ts'

/** What a test finds unreadable in a list of the provider's. */
type Unreadable = {
  sessions: string[]
  notifications: string[]
  refunds: string[]
  disputes: string[]
}

/**
 * A provider whose sessions do what the test says. Notifications are JSON of a `PaymentEvent`, and their
 * signature is the word `valid`. A test fills `refunds`, `disputes` and `undelivered` in the order in which they are
 * made; of these no moment is known, so that every window holds them all.
 */
export function scriptedPayments({ price = { amount: 400, currency: 'eur' } } = {}) {
  const sessions = new Map<string, SessionReport>()
  const refunds: Refund[] = []
  const disputes: Dispute[] = []
  const undelivered: PaymentEvent[] = []
  const unreadable: Unreadable = { sessions: [], notifications: [], refunds: [], disputes: [] }
  const refundKeys = new Set<OutboxKey>()
  const calls: string[] = []
  const windows: (ListWindow & { list: string })[] = []
  function called(name: string) {
    calls.push(name)
    if (gateway.outage) {
      const { answered, setting } = gateway
      const cause = new Error('out of order')
      throw new Unavailable('payment', { cause, answered, setting })
    }
  }
  const refundsOf = (paymentIntentId: string) =>
    refunds.filter((refund) => refund.paymentIntentId === paymentIntentId)
  /** One page of what was made last, as many of them as `pageSize` says. */
  function page<Item>(
    list: string,
    window: ListWindow,
    { made, bad }: { made: readonly Item[]; bad: readonly string[] },
  ): ListPage<Item> {
    called(list)
    windows.push({ list, ...window })
    const from = Number(window.cursor ?? 0)
    const to = from + gateway.pageSize
    return {
      items: made.toReversed().slice(from, to),
      unreadable: from === 0 ? bad : [],
      cursor: to < made.length ? String(to) : null,
    }
  }
  const gateway = {
    sessions,
    refunds,
    disputes,
    undelivered,
    /** The ids of objects that make no sense, each on the first page of its list. */
    unreadable,
    /** The keys under which something was sent back. */
    refundKeys,
    calls,
    /** Every page that was asked for. */
    windows,
    pageSize: 100,
    outage: false,
    answered: false,
    setting: null as string | null,
    live: false,
    today: price as Price,
    price: async () => gateway.today,
    async createSession(purchase: Purchase): Promise<CheckoutSession> {
      called('createSession')
      const sessionId = `cs_test_${purchase.id}`
      const checkoutUrl = `https://pay.example/${sessionId}`
      if (!sessions.has(sessionId)) {
        sessions.set(sessionId, {
          sessionId,
          purchaseId: purchase.id,
          outcome: 'open',
          order: orderOf(purchase),
          amountSubtotal: purchase.price.amount,
          amountTotal: purchase.price.amount,
          amountDiscount: 0,
          amountTax: 0,
          currency: purchase.price.currency,
          live: purchase.live,
          singlePayment: true,
          paymentIntentId: null,
          url: checkoutUrl,
        })
      }
      return { sessionId, checkoutUrl }
    },
    async readSession(sessionId: string) {
      called('readSession')
      return sessions.get(sessionId) ?? null
    },
    async expireSession(sessionId: string) {
      called('expireSession')
      const session = sessions.get(sessionId)
      if (session?.outcome === 'open') gateway.move(sessionId, 'expired')
      return sessions.get(sessionId) ?? null
    },
    async listRefunds(paymentIntentId: string) {
      called('listRefunds')
      return refundsOf(paymentIntentId)
    },
    async listDisputes(paymentIntentId: string) {
      called('listDisputes')
      return disputes.filter((dispute) => dispute.paymentIntentId === paymentIntentId)
    },
    async refundPayment({ paymentIntentId, key }: { paymentIntentId: string; key: OutboxKey }) {
      called('refundPayment')
      const amount = amountPaid(paymentIntentId) - amountRefunded(refundsOf(paymentIntentId))
      if (amount > 0 && !refundKeys.has(key)) {
        refundKeys.add(key)
        refunds.push({ id: `re_${key}`, paymentIntentId, amount, state: 'succeeded' })
      }
      return refundsOf(paymentIntentId)
    },
    async findSessions(window: ListWindow & { until: Date }) {
      const until = window.until.getTime()
      const made = sessionsSince(window).filter((session) => madeAt(session) <= until)
      return page('findSessions', window, { made, bad: [] })
    },
    async findCompletedSessions(window: ListWindow) {
      const made = sessionsSince(window).filter(
        ({ outcome }) => outcome !== 'open' && outcome !== 'expired',
      )
      return page('findCompletedSessions', window, { made, bad: unreadable.sessions })
    },
    async findUndeliveredNotifications(window: ListWindow) {
      const list = { made: undelivered, bad: unreadable.notifications }
      return page('findUndeliveredNotifications', window, list)
    },
    async findRefunds(window: ListWindow) {
      const made = refunds.map((refund) => ({ ...refund, createdAt: JUST_NOW }))
      return page('findRefunds', window, { made, bad: unreadable.refunds })
    },
    async findDisputes(window: ListWindow) {
      const made = disputes.map((dispute) => ({ ...dispute, createdAt: JUST_NOW }))
      return page('findDisputes', window, { made, bad: unreadable.disputes })
    },
    checkSignatureHeader(signature: string | null) {
      if (signature !== 'valid') throw new DomainError('invalid_signature')
    },
    async verifyEvent({ payload, signature }: { payload: Uint8Array; signature: string | null }) {
      if (signature !== 'valid') throw new DomainError('invalid_signature')
      const event = JSON.parse(new TextDecoder().decode(payload), reviveDate)
      return { occurredAt: null, ...event }
    },
    /** What the buyer, or the buyer's bank, does at the provider. */
    move(sessionId: string, outcome: SessionOutcome): SessionReport {
      const session = sessions.get(sessionId)
      if (!session) throw new Error(`no session ${sessionId}`)
      const isPaying = outcome !== 'open' && outcome !== 'expired'
      const moved: SessionReport = {
        ...session,
        outcome,
        url: outcome === 'open' ? session.url : null,
        paymentIntentId: isPaying ? `pi_${session.purchaseId}` : null,
      }
      sessions.set(sessionId, moved)
      return moved
    },
  }
  /** In the order of their making. */
  function sessionsSince({ since }: ListWindow): readonly SessionReport[] {
    return [...sessions.values()]
      .filter((session) => madeAt(session) >= since.getTime())
      .sort((left, right) => madeAt(left) - madeAt(right))
  }
  function amountPaid(paymentIntentId: string): number {
    const paid = [...sessions.values()].find((one) => one.paymentIntentId === paymentIntentId)
    if (paid?.outcome !== 'paid') throw new Error(`nobody paid ${paymentIntentId}`)
    return paid.amountTotal
  }
  return gateway satisfies PaymentCalls & PaymentNotifications
}

function orderOf(purchase: Purchase) {
  const { id, email, language, price, leastAmount, createdAt, expiresAt } = purchase
  return { id, email, language, price, leastAmount, createdAt, expiresAt, seal: 'fits' as const }
}

/** Later than any clock of a test. */
const JUST_NOW = new Date(Date.UTC(9999, 0, 1))

/** A session that the script did not make has no known time: it is in every window. */
function madeAt({ order }: SessionReport): number {
  return order?.createdAt.getTime() ?? Number.MAX_SAFE_INTEGER
}

function amountRefunded(refunds: readonly Refund[]): number {
  return refunds
    .filter(({ state }) => state !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0)
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** JSON knows no dates. */
function reviveDate(_key: string, value: unknown): unknown {
  return typeof value === 'string' && MOMENT.test(value) ? new Date(value) : value
}
