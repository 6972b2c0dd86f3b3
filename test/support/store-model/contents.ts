import type { Email } from '../../../domain/email.ts'
import type { AuditEntry } from '../../../domain/grant-change.ts'
import type { GrantFacts } from '../../../domain/premium-grant.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { digestOf, emailsOf } from './choice.ts'
import { inOrder } from './payment-moves.ts'

/** All that a store tells of the addresses of a run, and of the names that erasures gave them. */
export async function contentsOf(
  store: DatabaseStore,
  run: number,
  names: readonly Email[],
): Promise<unknown> {
  const addresses = emailsOf(run)
  const contents = [...addresses, ...names].map(async (email, which) => {
    const [records, account, audit, access] = await Promise.all([
      store.personalData.find(email),
      store.purchases.findAccount(email),
      store.auditTrail.findByEmail(email),
      store.access.findByEmail(email, () =>
        which < addresses.length ? [digestOf(run, which)] : [],
      ),
    ])
    const { verification, ...rest } = records
    return {
      email,
      records: {
        ...inOrder({ ...rest, verification: null }),
        audit: byChange(rest.audit),
        verification,
      },
      account: inOrder(account),
      audit: byChange(audit),
      access: { ...access, grants: access.grants.map(textOf).toSorted() },
    }
  })
  return Promise.all(contents)
}

/** Nothing in it has an order. */
function textOf({ payment, revokedAt }: GrantFacts): string {
  const texts = (facts: readonly object[] = []) => facts.map((fact) => JSON.stringify(fact)).sort()
  const returned = [texts(payment?.refunds), texts(payment?.disputes)]
  return JSON.stringify([revokedAt, payment?.amountPaid, returned])
}

/** The entries, oldest first, of each change: of several grants that it changed, none is the first. */
function byChange(entries: readonly AuditEntry[]): readonly (readonly string[])[] {
  const changes: string[][] = []
  let last = ''
  for (const { at, by, source, ...fact } of entries) {
    const change = JSON.stringify([at, by, source])
    if (change !== last) changes.push([])
    last = change
    changes.at(-1)?.push(`${change} ${JSON.stringify(fact)}`)
  }
  return changes.map((change) => change.toSorted())
}

/** What a store tells of all addresses of all runs. */
export async function figuresOf({
  statistics,
  refunds,
  disputes,
}: DatabaseStore): Promise<unknown> {
  const changes = await statistics.countGrantChanges(0)
  return {
    purchases: await statistics.countPurchases(),
    outbox: (await statistics.countOutbox()).toSorted((left, right) =>
      `${left.kind}${left.state}` < `${right.kind}${right.state}` ? -1 : 1,
    ),
    changes: changes.counts
      .map(({ by, reason, isActive, changes }) => [by, reason, isActive, changes].join())
      .toSorted(),
    refunds: (await refunds.findPendingPayments()).toSorted(),
    disputes: (await disputes.findPendingPayments()).toSorted(),
  }
}
