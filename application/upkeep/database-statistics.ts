import type { MailLimitUse } from '../../domain/mail-limit.ts'
import type { PurchaseState } from '../../domain/purchase.ts'
import { readMailLimitUse } from '../access/watch-mail-limit.ts'
import { rankRecentWrongTries } from '../access/watch-wrong-codes.ts'
import { listPurchases } from '../payments/list-purchases.ts'
import type { Ports } from '../ports.ts'
import { measureReconciler } from '../reconciling/measure-reconciler.ts'
import type { FileSizes, OutboxCount } from '../statistics.ts'

/** Figures of the whole database, for an operator's monitoring. */
export type DatabaseStatistics = {
  readonly purchases: Readonly<Record<PurchaseState, number>>
  /** Purchases with money that was not asked for, until that has been given back. */
  readonly awaitingReview: number
  /** No open or delayed purchase has been unread at the provider for longer; 0 where there is none. */
  readonly reconcilerBehindMs: number
  readonly outbox: readonly OutboxCount[]
  /** Of the last hour: over all addresses, of the address that was hit most, and of the worst network. */
  readonly wrongTries: number
  readonly wrongTriesOfWorst: { readonly address: number; readonly network: number }
  /** When the last audit that came to its end began; null before the first. */
  readonly lastAuditAt: Date | null
  /** Null where nothing bounds the code mails of the service. */
  readonly mailLimitUse: MailLimitUse | null
  /** Null for a database that has no files. */
  readonly files: FileSizes | null
}

/** Reads all figures once. Throws `Unavailable('storage')`. */
export async function readDatabaseStatistics(
  ports: Pick<Ports, 'statistics' | 'purchases' | 'sweeps' | 'clock' | 'rules'>,
): Promise<DatabaseStatistics> {
  const { statistics } = ports
  const wrongTries = await rankRecentWrongTries(ports, { top: 1 })
  const review = await Array.fromAsync(listPurchases(ports, { onlyReview: true }))
  return {
    purchases: await statistics.countPurchases(),
    awaitingReview: review.length,
    reconcilerBehindMs: await measureReconciler(ports),
    outbox: await statistics.countOutbox(),
    wrongTries: wrongTries.tries,
    wrongTriesOfWorst: {
      address: wrongTries.topAddresses[0]?.tries ?? 0,
      network: wrongTries.topNetworks[0]?.tries ?? 0,
    },
    lastAuditAt: await ports.sweeps.findLastRun('audit'),
    mailLimitUse: await readMailLimitUse(ports),
    files: await statistics.measureFiles(),
  }
}
