import type { PurchaseState } from '../../domain/purchase.ts'
import { countRecentWrongTries } from '../access/watch-wrong-codes.ts'
import { listPurchases } from '../payments/list-purchases.ts'
import type { Ports } from '../ports.ts'
import type { FileSizes, OutboxCount } from '../statistics.ts'

/** Figures of the whole database, for an operator's monitoring. */
export type DatabaseStatistics = {
  readonly purchases: Readonly<Record<PurchaseState, number>>
  /** Purchases with money that was not asked for, until that has been given back. */
  readonly awaitingReview: number
  readonly outbox: readonly OutboxCount[]
  /** Of the last hour, over all addresses. */
  readonly wrongTries: number
  /** Null for a database that has no files. */
  readonly files: FileSizes | null
}

/** Reads all figures once. Throws `Unavailable('storage')`. */
export async function readDatabaseStatistics(
  ports: Pick<Ports, 'statistics' | 'purchases' | 'clock'>,
): Promise<DatabaseStatistics> {
  const { statistics } = ports
  const review = await Array.fromAsync(listPurchases(ports, { onlyReview: true }))
  return {
    purchases: await statistics.countPurchases(),
    awaitingReview: review.length,
    outbox: await statistics.countOutbox(),
    wrongTries: await countRecentWrongTries(ports),
    files: await statistics.measureFiles(),
  }
}
