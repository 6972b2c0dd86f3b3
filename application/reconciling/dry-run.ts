import type { Dispute } from '../../domain/dispute.ts'
import type { Email } from '../../domain/email.ts'
import type { Origin } from '../../domain/grant-change.ts'
import type { PurchaseId } from '../../domain/order.ts'
import { isStateChange } from '../../domain/premium-grant.ts'
import type { Purchase } from '../../domain/purchase.ts'
import type { Refund } from '../../domain/refund.ts'
import type { Log } from '../ports.ts'
import type { Account } from '../store.ts'
import type { ReconcileDependencies } from './reconcile-payments.ts'

/**
 * The same ports, except that nothing is stored: each change is computed from what is stored now, and dropped. Later
 * steps of the same run do not see it.
 */
export function dryRun(ports: ReconcileDependencies): ReconcileDependencies {
  const { purchases, refunds, disputes, sweeps, log } = ports
  return {
    ...ports,
    log: markedLog(log),
    purchases: {
      ...purchases,
      update: async <Result>(
        email: Email,
        _origin: Origin,
        change: (account: Account) => Result,
      ): Promise<Result> => change(await purchases.findAccount(email)),
      updateById: async <Result>(
        id: PurchaseId,
        _origin: Origin,
        change: (account: Account, purchase: Purchase) => Result,
      ): Promise<Result | null> => {
        const purchase = await purchases.findById(id)
        return purchase && change(await purchases.findAccount(purchase.email), purchase)
      },
    },
    refunds: { ...refunds, update: countChanges(refunds.findById) },
    disputes: { ...disputes, update: countChanges(disputes.findById) },
    sweeps: { ...sweeps, recordRun: async () => {} },
  }
}

function countChanges<Fact extends Refund | Dispute>(
  findById: (id: string) => Promise<Fact | null>,
) {
  return async <Reported extends { readonly id: string }>(
    reported: readonly Reported[],
    _origin: Origin,
    change: (known: Fact | null, reported: Reported) => Fact,
  ): Promise<number> => {
    let changes = 0
    for (const one of reported) {
      const known = await findById(one.id)
      if (isStateChange(known, change(known, one))) changes++
    }
    return changes
  }
}

function markedLog(log: Log): Log {
  return (event, fields) => log(event, { ...fields, dryRun: true })
}
