import { type Finding, findingsOn, made } from '../../application/doctor/finding.ts'
import { listPurchases } from '../../application/payments/list-purchases.ts'
import type { PurchaseRepository } from '../../application/store.ts'
import { HOUR_MS } from '../../domain/duration.ts'

const MESSAGE_WAITS_LONG_MS = 2 * HOUR_MS
const LISTED_MAX = 3

/** The purchases whose messages were given up, the latest first. Both kinds of database read it alike. */
const GIVEN_UP = `SELECT purchase_id AS id FROM outbox WHERE state = 'given_up'
  GROUP BY purchase_id ORDER BY max(ended_at) DESC`
const OLDEST = "SELECT min(created_at) AS at FROM outbox WHERE state = 'waiting'"

type Query = <Row>(text: string) => Promise<readonly Row[]>

/** What waits for the operator in a database of any kind that has this executable's schema. */
export async function checkWaitingWork({
  query,
  purchases,
  now,
}: {
  query: Query
  purchases: PurchaseRepository
  now: Date
}): Promise<readonly Finding[]> {
  const inReview = await Array.fromAsync(listPurchases({ purchases }, { onlyReview: true }))
  return [checkPurchases(inReview.length), ...(await checkOutbox(query, now))]
}

function checkPurchases(inReview: number): Finding {
  const { ok, warning } = findingsOn('purchases')
  if (inReview === 0) return ok('none waits for you')
  return warning(
    `${inReview} ${inReview === 1 ? 'waits' : 'wait'} for you: money came that was not asked for`,
    'alibi purchases --review',
  )
}

async function checkOutbox(query: Query, now: Date): Promise<readonly Finding[]> {
  const { ok, warning } = findingsOn('outbox')
  const givenUp = (await query<{ id: string }>(GIVEN_UP)).map(({ id }) => id)
  const [oldest] = await query<{ at: Date | number | null }>(OLDEST)
  const waitsMs = oldest?.at ? now.getTime() - new Date(oldest.at).getTime() : 0
  const listed = givenUp.slice(0, LISTED_MAX).join(', ')
  const found = made(
    givenUp.length > 0 &&
      warning(
        `mails or refunds were given up, of the purchases ${listed}${givenUp.length > LISTED_MAX ? ', …' : ''}`,
        `alibi purchases show ${givenUp[0]}`,
      ),
    waitsMs > MESSAGE_WAITS_LONG_MS &&
      warning(
        `a mail or a refund has been waiting for ${Math.floor(waitsMs / HOUR_MS)} hours`,
        'see that the service runs, and what its log says of the mail provider and of Stripe',
      ),
  )
  return found.length > 0 ? found : [ok('nothing is stuck')]
}
