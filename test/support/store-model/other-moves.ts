import { SWEEP_NAMES } from '../../../application/store.ts'
import { DAY_MS } from '../../../domain/duration.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import { PURCHASE_STATES } from '../../../domain/purchase.ts'
import { PRUNED_KINDS, type PrunedKind } from '../../../domain/retention.ts'
import type { DatabaseStore } from '../../../infrastructure/database/database-store.ts'
import { applyAction, type SandboxSessionRecord } from '../../../infrastructure/sandbox/session.ts'
import type { Choice } from './choice.ts'

type Move = (store: DatabaseStore, choice: Choice) => Promise<unknown>

/** Long ago enough for the triggers of the audit trail, whatever the clock of the machine. */
const AUDIT_UP_TO = new Date('2021-01-01T00:00:00.000Z')
const MORE_THAN_THERE_ARE = 10_000

/** What a store is asked for besides: upkeep, the sandbox, and pages of everything. */
export const OTHER_MOVES = {
  prune: async ({ retention }, choice) => {
    const kind = prunedKind(choice)
    const { now, picks } = choice
    const upTo = isOfAudit(choice) ? AUDIT_UP_TO : new Date(now.getTime() - (picks[1] % 3) * DAY_MS)
    return { kind, count: await retention.prune(kind, { upTo, limit: MORE_THAN_THERE_ARE }) }
  },
  sweep: ({ sweeps }, { now, picks }) =>
    sweeps.recordRun(SWEEP_NAMES[picks[0] % SWEEP_NAMES.length]!, now),
  findSweep: ({ sweeps }, { picks }) =>
    sweeps.findLastRun(SWEEP_NAMES[picks[0] % SWEEP_NAMES.length]!),
  openSession: ({ sandboxSessions }, choice) => sandboxSessions.create(session(choice)),
  moveSession: ({ sandboxSessions }, { picks, named }) =>
    sandboxSessions.update(named('cs', picks[1] % 6), (record) =>
      applyAction(record, 'pay', named('pi', picks[2] % 5)),
    ),
  listSessions: ({ sandboxSessions }, { now, picks, named }) =>
    sandboxSessions.list({
      since: new Date(now.getTime() - DAY_MS),
      after: picks[1] % 2 ? named('cs', picks[2] % 6) : null,
      limit: 3,
    }),
  listPurchases: ({ purchases }, { purchase, picks }) =>
    purchases.list({
      states: PURCHASE_STATES.filter((_, index) => (picks[2] >> index) % 2 === 1),
      after: picks[3] % 2 ? purchase : ('' as PurchaseId),
      limit: 1 + (picks[0] % 4),
    }),
  findPurchase: async ({ purchases }, { purchase, picks, named }) => [
    await purchases.findById(purchase),
    await purchases.findBySessionId(named('cs', picks[2] % 6)),
    await purchases.isAskedPrice({ amount: 500, currency: 'usd' }, { live: picks[3] % 2 === 0 }),
  ],
  listGrants: async ({ premiumGrants }, { now, picks, named }) => {
    const after = { since: new Date(now.getTime() - DAY_MS), id: named('grant', picks[1] % 9) }
    return (await premiumGrants.list({ after, limit: 1 + (picks[0] % 4) })).map(({ id, since }) => [
      id,
      since,
    ])
  },
  findMessages: ({ outbox }, { purchase }) => outbox.findByPurchase(purchase),
  rankTries: ({ statistics }, { now, picks }) =>
    statistics.rankWrongTries({
      from: new Date(now.getTime() - DAY_MS),
      until: now,
      top: 1 + (picks[0] % 3),
    }),
  countMails: async ({ statistics }, { now, picks }) => {
    const window = { since: new Date(now.getTime() - DAY_MS), until: now }
    const ranked = await statistics.rankServiceMails({ ...window, top: 1 + (picks[0] % 3) })
    return [await statistics.countServiceMails(window), ranked]
  },
} satisfies Record<string, Move>

/** Whether a pruning would delete entries of the audit trail. */
export function isOfAudit(choice: Choice): boolean {
  return prunedKind(choice) === 'audit_entries'
}

function prunedKind({ picks }: Choice): PrunedKind {
  return PRUNED_KINDS[picks[2] % PRUNED_KINDS.length]!
}

function session({ email, purchase, now, picks, named }: Choice): SandboxSessionRecord {
  return {
    sessionId: named('cs', picks[2] % 6),
    purchaseId: purchase,
    customerEmail: email,
    price: { amount: 400, currency: 'eur' },
    state: 'open',
    createdAt: now,
    expiresAt: new Date(now.getTime() + DAY_MS),
    paymentIntentId: null,
  }
}
