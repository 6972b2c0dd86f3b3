import type { Dispute } from '../../domain/dispute.ts'
import { DAY_MS, HOUR_MS } from '../../domain/duration.ts'
import type { Origin } from '../../domain/grant-change.ts'
import {
  closePurchase,
  isAbandoned,
  type Purchase,
  type SessionReport,
} from '../../domain/purchase.ts'
import type { Refund } from '../../domain/refund.ts'
import type { Listed, ListPage, ListWindow, PaymentEvent, Ports } from '../ports.ts'
import type { SweepName } from '../store.ts'
import { applyDisputes, applyRefunds, isWorthKeeping, readReversals } from './apply-reversals.ts'
import { eachPurchase } from './list-purchases.ts'
import {
  originOf,
  type SettleDependencies,
  settlePayment,
  settleSession,
} from './settle-payment.ts'
import type { IsolatedStep, Tally } from './sweep-step.ts'

/** One way through the records of payments. */
type Sweep<Item> = {
  /** 0: at every run, so that no time is kept. */
  readonly everyMs: number
  /** How far back it looks before the last one began. */
  readonly windowMs: number
  pages(ports: SettleDependencies, since: Date): AsyncIterable<Page<Item>>
  idOf(item: Item): string
  /** Says how many facts changed. */
  apply(ports: SettleDependencies, item: Item): Promise<number>
  /** Payments whose reversals are read however old they are. */
  pendingPayments?(ports: SettleDependencies): Promise<readonly string[]>
}

type Page<Item> = Pick<ListPage<Item>, 'items' | 'unreadable'>

type SweptItems = {
  open_purchases: Purchase
  completed_sessions: SessionReport
  undelivered_notifications: PaymentEvent
  refunds: Listed<Refund>
  disputes: Listed<Dispute>
}

export const SWEEPS: { readonly [Name in SweepName]: Sweep<SweptItems[Name]> } = {
  open_purchases: {
    everyMs: 0,
    windowMs: 0,
    pages: readOpenPurchases,
    idOf: ({ id }) => id,
    apply: rereadPurchase,
  },
  completed_sessions: {
    everyMs: HOUR_MS,
    windowMs: 2 * DAY_MS,
    pages: ({ payments }, since) => readPages(payments.findCompletedSessions, since),
    idOf: ({ sessionId }) => sessionId,
    apply: applySession,
  },
  undelivered_notifications: {
    everyMs: HOUR_MS,
    windowMs: 2 * DAY_MS,
    pages: ({ payments }, since) => readPages(payments.findUndeliveredNotifications, since),
    idOf: ({ eventId }) => eventId,
    apply: applyNotification,
  },
  refunds: {
    everyMs: DAY_MS,
    windowMs: 8 * DAY_MS,
    pages: ({ payments }, since) => readPages(payments.findRefunds, since),
    idOf: ({ id }) => id,
    apply: (ports, { createdAt, ...refund }) =>
      applyListed(ports, refund, createdAt, () =>
        applyRefunds(ports, [refund], reconcilerOrigin(ports)),
      ),
    // Refunds take weeks to bounce.
    pendingPayments: ({ refunds }) => refunds.findPendingPayments(),
  },
  disputes: {
    everyMs: DAY_MS,
    windowMs: 8 * DAY_MS,
    pages: ({ payments }, since) => readPages(payments.findDisputes, since),
    idOf: ({ id }) => id,
    apply: (ports, { createdAt, ...dispute }) =>
      applyListed(ports, dispute, createdAt, () =>
        applyDisputes(ports, [dispute], reconcilerOrigin(ports)),
      ),
    // Banks take months for a verdict.
    pendingPayments: ({ disputes }) => disputes.findPendingPayments(),
  },
}

/** Goes through the objects of a sweep, one step each. */
export async function* sweepObjects<Name extends SweepName>(
  ports: SettleDependencies,
  name: Name,
  { step, since }: { step: IsolatedStep; since: Date },
): AsyncGenerator<Tally> {
  const sweep: Sweep<SweptItems[Name]> = SWEEPS[name]
  for await (const { unreadable, items } of sweep.pages(ports, since)) {
    for (const id of unreadable) {
      yield await step(id, refuseUnreadable)
    }
    for (const item of items) {
      yield await step(sweep.idOf(item), () => sweep.apply(ports, item))
    }
  }
  const pending = (await sweep.pendingPayments?.(ports)) ?? []
  for (const id of pending) {
    yield await step(id, () => readReversals(ports, id, reconcilerOrigin(ports)))
  }
}

async function refuseUnreadable(): Promise<never> {
  throw new Error('an object of the provider that makes no sense')
}

async function* readOpenPurchases(ports: SettleDependencies): AsyncGenerator<Page<Purchase>> {
  for await (const purchase of eachPurchase(ports, ['open', 'processing'])) {
    yield { items: [purchase], unreadable: [] }
  }
}

async function* readPages<Item>(
  find: (window: ListWindow) => Promise<ListPage<Item>>,
  since: Date,
): AsyncGenerator<ListPage<Item>> {
  let cursor: string | null = null
  do {
    const page: ListPage<Item> = await find({ since, cursor })
    yield page
    if (page.cursor !== null && page.cursor === cursor) {
      throw new Error('a list that repeats a page')
    }
    cursor = page.cursor
  } while (cursor !== null)
}

async function rereadPurchase(ports: SettleDependencies, purchase: Purchase): Promise<number> {
  const { sessionId } = purchase
  const report = sessionId === null ? null : await ports.payments.readSession(sessionId)
  if (report) return applySession(ports, report)

  return isAbandoned(purchase, ports.clock.now()) ? closeAbandoned(ports, purchase) : 0
}

async function applySession(ports: SettleDependencies, report: SessionReport): Promise<number> {
  const settlement = await settleSession(ports, report, 'reconciler')
  return settlement?.isStateChange ? 1 : 0
}

async function applyNotification(ports: SettleDependencies, event: PaymentEvent): Promise<number> {
  const settle = async () => ((await settlePayment(ports, event, 'reconciler')) ? 1 : 0)
  const paymentIntentId = reversedPayment(event)
  if (paymentIntentId === null) return settle()
  return applyListed(ports, { paymentIntentId }, event.occurredAt, settle)
}

/** The payment of which the event says that money goes back, or is asked back; null for other events. */
function reversedPayment(event: PaymentEvent): string | null {
  switch (event.kind) {
    case 'refund':
      return event.refund.paymentIntentId
    case 'dispute':
      return event.dispute.paymentIntentId
    case 'refund_hint':
      return event.paymentIntentId
    default:
      return null
  }
}

/** Leaves alone what is not worth keeping. */
async function applyListed(
  ports: SettleDependencies,
  { paymentIntentId }: { readonly paymentIntentId: string },
  madeAt: Date | null,
  apply: () => Promise<number>,
): Promise<number> {
  const now = ports.clock.now()
  return (await isWorthKeeping(ports, paymentIntentId, { madeAt, now })) ? apply() : 0
}

async function closeAbandoned(
  ports: SettleDependencies,
  { id, sessionId }: Purchase,
): Promise<number> {
  const origin = reconcilerOrigin(ports)
  const closed = await ports.purchases.updateById(id, origin, (_, current) => {
    const abandoned = isAbandoned(current, origin.at) ? current : null
    return { purchase: abandoned && closePurchase(abandoned), abandoned }
  })
  const abandoned = closed?.abandoned
  const fields = { purchase: id, session: sessionId }
  if (abandoned?.state === 'processing') {
    ports.log('purchase.money_untraceable', fields)
  } else if (abandoned) {
    ports.log('purchase.abandoned', fields)
  }
  return abandoned ? 1 : 0
}

function reconcilerOrigin(ports: Pick<Ports, 'clock'>): Origin {
  return originOf(ports, { by: 'reconciler', source: null })
}
