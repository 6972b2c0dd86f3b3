import type { PurchaseId } from '../../domain/order.ts'
import {
  closePurchase,
  isAbandoned,
  linkPurchase,
  type Purchase,
  type PurchaseState,
} from '../../domain/purchase.ts'
import type { SessionReport } from '../../domain/session-report.ts'
import { eachPurchase } from '../payments/list-purchases.ts'
import { originOf, type SettleDependencies, settleSession } from '../payments/settle-payment.ts'
import type { Ports } from '../ports.ts'
import type { Stopping } from '../upkeep/leadership.ts'
import { eachPage } from './provider-pages.ts'
import { readAhead } from './read-ahead.ts'
import { groupPurchases, windowOf } from './session-windows.ts'

/** What may still change at the provider by itself. */
export const OPEN_STATES: readonly PurchaseState[] = ['open', 'processing']

/** Pages of one list come one after the other, and each takes the provider a good part of a second. */
const LISTS_AT_ONCE_MAX = 8

// Why: docs/decisions.md#open-purchases-are-listed-in-windows
/** The purchase after which a reading goes on that was cut short; null for the oldest one. */
export type ReadingPlace = { after: PurchaseId | null }

/** Something to look at; `look` says how many facts changed. */
export type Look = {
  readonly id: string
  readonly look: () => Promise<number>
  /** Whether this run finds out the same in another way. */
  readonly dispensable: boolean
}

/**
 * Every open or delayed purchase once, the longest unread first, with what the provider says of it. The place moves
 * with what was looked at; once everything was, it is where it was before. No list is asked for another page once
 * `stopping` is aborted or nobody reads on.
 */
export async function* readOpenPurchases(
  ports: SettleDependencies,
  { place, stopping }: { place: ReadingPlace; stopping: Stopping },
): AsyncGenerator<Look> {
  const { after } = place
  let isOver = false
  const isStopped = () => isOver || stopping.aborted
  const groups = groupPurchases(inCircle(ports, after))
  const list = (group: readonly Purchase[]) => listSessions(ports, group, isStopped)
  try {
    for await (const { group, reports, failure } of readAhead(groups, list, LISTS_AT_ONCE_MAX)) {
      if (failure !== null) {
        yield {
          id: 'checkout_sessions',
          look: () => Promise.reject(failure),
          dispensable: true,
        }
      }
      for (const purchase of group) {
        place.after = purchase.id
        const report = reports.get(purchase.id) ?? null
        const look = () => rereadPurchase(ports, purchase, report)
        yield { id: purchase.id, look, dispensable: false }
      }
    }
    place.after = after
  } finally {
    isOver = true
  }
}

/** From the one after `after` to the newest one, and then from the oldest one to that one. */
async function* inCircle(
  ports: Pick<Ports, 'purchases'>,
  after: PurchaseId | null,
): AsyncGenerator<Purchase> {
  yield* eachPurchase(ports, OPEN_STATES, after)
  if (after === null) return
  for await (const purchase of eachPurchase(ports, OPEN_STATES)) {
    if (purchase.id > after) return
    yield purchase
  }
}

type Listing = {
  readonly group: readonly Purchase[]
  /** Of those that the list has shown. */
  readonly reports: ReadonlyMap<PurchaseId, SessionReport>
  /** What ended the list too early, or null. */
  readonly failure: unknown
}

/** Asks for no more pages than there are sessions to be asked for one by one. */
async function listSessions(
  { payments }: Pick<Ports, 'payments'>,
  group: readonly Purchase[],
  isStopped: () => boolean,
): Promise<Listing> {
  const reports = new Map<PurchaseId, SessionReport>()
  const unconfirmed = new Set(group.filter(isUnconfirmed).map(({ id }) => id))
  const sought = new Map(group.flatMap(({ sessionId, id }) => (sessionId ? [[sessionId, id]] : [])))
  let pagesLeft = sought.size > 1 ? sought.size : 0
  const window = windowOf(group)
  const pages = eachPage((cursor) => payments.findSessions({ ...window, cursor }))
  try {
    while (sought.size > 0 && pagesLeft-- > 0 && !isStopped()) {
      const { value: page } = await pages.next()
      if (!page) break
      for (const report of page.items) {
        const { sessionId, purchaseId } = report
        const id = sought.get(sessionId) ?? purchaseId
        const isSought = sought.delete(sessionId) || (id !== null && unconfirmed.has(id))
        if (id !== null && isSought) reports.set(id, report)
      }
    }
    return { group, reports, failure: null }
  } catch (failure) {
    return { group, reports, failure }
  }
}

/** Whether the provider has made a session for it is not known: its answer was lost. */
function isUnconfirmed({ sessionId }: Purchase): boolean {
  return sessionId === null
}

/** Asks for the session by itself where no list has shown it. */
async function rereadPurchase(
  ports: SettleDependencies,
  purchase: Purchase,
  listed: SessionReport | null,
): Promise<number> {
  const report = listed ?? (await readSession(ports, purchase))
  if (report) return bringsNews(report, purchase) ? repairSession(ports, report) : 0

  return isAbandoned(purchase, ports.clock.now()) ? closeAbandoned(ports, purchase) : 0
}

async function readSession(
  { payments }: Pick<Ports, 'payments'>,
  { sessionId }: Purchase,
): Promise<SessionReport | null> {
  return sessionId === null ? null : payments.readSession(sessionId)
}

/** Of an open page there is nearly always nothing new, and a transaction for each would keep others waiting. */
function bringsNews(report: SessionReport, purchase: Purchase): boolean {
  return report.outcome !== purchase.state || linkPurchase(purchase, report) !== purchase
}

/** Applies what the provider says of a session, and says how many facts that changed. */
export async function repairSession(
  ports: SettleDependencies,
  report: SessionReport,
): Promise<number> {
  const settlement = await settleSession(ports, report, 'reconciler')
  return settlement?.isStateChange ? 1 : 0
}

async function closeAbandoned(
  ports: SettleDependencies,
  { id, sessionId }: Purchase,
): Promise<number> {
  const origin = originOf(ports, { by: 'reconciler', source: null })
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
