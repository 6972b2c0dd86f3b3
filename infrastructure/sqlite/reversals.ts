import { and, eq, sql } from 'drizzle-orm'
import type { DisputeState } from '../../domain/dispute.ts'
import type { Email } from '../../domain/email.ts'
import type { Cause } from '../../domain/grant-change.ts'
import { isNews } from '../../domain/premium-grant.ts'
import type { RefundState } from '../../domain/refund.ts'
import type { RecordChanges } from './audit-trail.ts'
import type { Queries } from './database.ts'
import { IS_PAID } from './find-grants.ts'
import { purchases } from './schema.ts'

/** A refund or a dispute. */
type Reversal = {
  readonly id: string
  readonly paymentIntentId: string
  readonly state: RefundState | DisputeState
}

type UpdateReversals<Fact> = <Reported extends { readonly id: string }>(
  reported: readonly Reported[],
  cause: Cause,
  change: (known: Fact | null, reported: Reported) => Fact,
) => number

/** For use inside a write: changes what is known, together with the audit entries that follow from it. */
export function prepareUpdateReversals<Fact extends Reversal>(
  queries: Queries,
  {
    find,
    save,
    recordChanges,
  }: {
    find: (id: string) => Fact | null
    save: (fact: Fact) => void
    recordChanges: RecordChanges
  },
): UpdateReversals<Fact> {
  const findBuyers = prepareFindBuyers(queries)

  return (reported, cause, change) => {
    const changed = new Map<string, Fact>()
    let news = 0
    for (const one of reported) {
      const known = changed.get(one.id) ?? find(one.id)
      const fact = change(known, one)
      if (fact === known) continue
      changed.set(fact.id, fact)
      if (isNews(known, fact)) news++
    }
    const facts = [...changed.values()]
    recordChanges(findBuyers(facts), cause, () => facts.forEach(save))
    return news
  }
}

/** Whose grants hang on these payments. */
function prepareFindBuyers(queries: Queries): (facts: readonly Reversal[]) => readonly Email[] {
  const select = queries
    .select({ email: purchases.email })
    .from(purchases)
    .where(and(eq(purchases.paymentIntentId, sql.placeholder('paymentIntentId')), IS_PAID))
    .prepare()

  return (facts) => {
    const payments = new Set(facts.map(({ paymentIntentId }) => paymentIntentId))
    const rows = [...payments].flatMap((paymentIntentId) => select.all({ paymentIntentId }))
    return [...new Set(rows.map(({ email }) => email))]
  }
}
