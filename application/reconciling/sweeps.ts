import type { Dispute } from '../../domain/dispute.ts'
import { DAY_MS, HOUR_MS } from '../../domain/duration.ts'
import type { Origin } from '../../domain/grant-change.ts'
import type { Refund } from '../../domain/refund.ts'
import type { SessionReport } from '../../domain/session-report.ts'
import {
  applyDisputes,
  applyRefunds,
  isWorthKeeping,
  readReversals,
} from '../payments/apply-reversals.ts'
import { originOf, type SettleDependencies, settlePayment } from '../payments/settle-payment.ts'
import type { Listed, ListPage, PaymentEvent, Ports } from '../ports.ts'
import type { SweepName } from '../store.ts'
import type { Stopping } from '../upkeep/leadership.ts'
import { type Look, type ReadingPlace, readOpenPurchases, repairSession } from './open-purchases.ts'
import { eachPage } from './provider-pages.ts'
import type { IsolatedStep, Tally } from './sweep-step.ts'

/** One way through the records of payments. */
type Sweep<Item> = {
  /** 0: at every run. */
  readonly everyMs: number
  /** How far back it looks before the last one began. */
  readonly windowMs: number
  pages(ports: SettleDependencies, from: Beginning): AsyncIterable<Page<Item>>
  /**
   * After so many failures in a row a run ends. The next one has to go on from there, or it would never get past them.
   */
  readonly outagesMax: number
  idOf(item: Item): string
  isDispensable?(item: Item): boolean
  /** Says how many facts changed. */
  apply(ports: SettleDependencies, item: Item): Promise<number>
  /** Payments whose reversals are read however old they are. */
  pendingPayments?(ports: SettleDependencies): Promise<readonly string[]>
}

/** Where a sweep through a list of the provider's begins, and one through purchases of ours. */
type Beginning = {
  readonly since: Date
  readonly place: ReadingPlace
  readonly stopping: Stopping
}

type Page<Item> = Pick<ListPage<Item>, 'items' | 'unreadable'>

type SweptItems = {
  open_purchases: Look
  completed_sessions: SessionReport
  undelivered_notifications: PaymentEvent
  refunds: Listed<Refund>
  disputes: Listed<Dispute>
}

export const SWEEPS: { readonly [Name in SweepName]: Sweep<SweptItems[Name]> } = {
  open_purchases: {
    everyMs: 0,
    windowMs: 0,
    pages: pagesOfOpenPurchases,
    outagesMax: 20,
    idOf: ({ id }) => id,
    isDispensable: ({ dispensable }) => dispensable,
    apply: (_, { look }) => look(),
  },
  completed_sessions: {
    everyMs: HOUR_MS,
    windowMs: 2 * DAY_MS,
    pages: ({ payments }, { since }) =>
      eachPage((cursor) => payments.findCompletedSessions({ since, cursor })),
    outagesMax: Number.POSITIVE_INFINITY,
    idOf: ({ sessionId }) => sessionId,
    apply: repairSession,
  },
  undelivered_notifications: {
    everyMs: HOUR_MS,
    windowMs: 2 * DAY_MS,
    pages: ({ payments }, { since }) =>
      eachPage((cursor) => payments.findUndeliveredNotifications({ since, cursor })),
    outagesMax: Number.POSITIVE_INFINITY,
    idOf: ({ eventId }) => eventId,
    apply: applyNotification,
  },
  refunds: {
    everyMs: DAY_MS,
    windowMs: 8 * DAY_MS,
    pages: ({ payments }, { since }) =>
      eachPage((cursor) => payments.findRefunds({ since, cursor })),
    outagesMax: Number.POSITIVE_INFINITY,
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
    pages: ({ payments }, { since }) =>
      eachPage((cursor) => payments.findDisputes({ since, cursor })),
    outagesMax: Number.POSITIVE_INFINITY,
    idOf: ({ id }) => id,
    apply: (ports, { createdAt, ...dispute }) =>
      applyListed(ports, dispute, createdAt, () =>
        applyDisputes(ports, [dispute], reconcilerOrigin(ports)),
      ),
    // Banks take months for a verdict.
    pendingPayments: ({ disputes }) => disputes.findPendingPayments(),
  },
}

/** Goes through the objects of a sweep, one step each, and begins no step once `stopping` is aborted. */
export async function* sweepObjects<Name extends SweepName>(
  ports: SettleDependencies,
  name: Name,
  { step, ...beginning }: Beginning & { step: IsolatedStep },
): AsyncGenerator<Tally> {
  const sweep: Sweep<SweptItems[Name]> = SWEEPS[name]
  const { stopping } = beginning
  for await (const { unreadable, items } of sweep.pages(ports, beginning)) {
    for (const id of unreadable) {
      yield await step(id, refuseUnreadable)
    }
    for (const item of items) {
      if (stopping.aborted) return
      const rules = { dispensable: sweep.isDispensable?.(item) ?? false }
      yield await step(sweep.idOf(item), () => sweep.apply(ports, item), rules)
    }
  }
  const pending = (await sweep.pendingPayments?.(ports)) ?? []
  for (const id of pending) {
    if (stopping.aborted) return
    yield await step(id, () => readReversals(ports, id, reconcilerOrigin(ports)))
  }
}

async function refuseUnreadable(): Promise<never> {
  throw new Error('an object of the provider that makes no sense')
}

/** Each is a page of its own, so that the place moves with what was looked at. */
async function* pagesOfOpenPurchases(
  ports: SettleDependencies,
  { place, stopping }: Beginning,
): AsyncGenerator<Page<Look>> {
  for await (const look of readOpenPurchases(ports, { place, stopping })) {
    yield { items: [look], unreadable: [] }
  }
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

function reconcilerOrigin(ports: Pick<Ports, 'clock'>): Origin {
  return originOf(ports, { by: 'reconciler', source: null })
}
