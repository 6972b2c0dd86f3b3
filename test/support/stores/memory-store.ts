import type { Account, DatedGrant, Store } from '../../../application/store.ts'
import type { Dispute } from '../../../domain/dispute.ts'
import type { Email } from '../../../domain/email.ts'
import { type AuditEntry, findGrantChanges, type Origin } from '../../../domain/grant-change.ts'
import type { PurchaseId } from '../../../domain/order.ts'
import {
  OUTBOX_KINDS,
  type OutboxKey,
  type OutboxMessage,
  WAIT_MAX_MS,
} from '../../../domain/outbox.ts'
import { isStateChange, type PremiumGrant } from '../../../domain/premium-grant.ts'
import { PURCHASE_STATES, type Purchase, type PurchaseState } from '../../../domain/purchase.ts'
import type { Refund } from '../../../domain/refund.ts'
import type { Verification } from '../../../domain/verification.ts'
import { leftPayment } from '../../../infrastructure/database/reported-reversals.ts'
import { memoryLedger } from './memory-ledger.ts'
import { memoryOtps, worstFirst } from './memory-otps.ts'
import {
  compareGrants,
  memoryLogOuts,
  memoryPersonalData,
  memoryRetention,
} from './memory-personal-data.ts'

/** The promises of every repository, kept in memory. Its methods run to the end without a pause, so they are atomic. */
export function memoryStore(): Store {
  const sweeps = new Map<string, Date>()
  const logOuts = memoryLogOuts()
  const memory = paymentMemory()
  const { verifications } = memory
  const otps = memoryOtps(verifications)

  return {
    otps: otps.port,
    verifications: {
      findByEmail: async (email) => verifications.get(email) ?? null,
    },
    purchases: memoryPurchases(memory),
    premiumGrants: memoryPremiumGrants(memory),
    refunds: memoryFacts(memory, memory.refunds, ({ state }) => state === 'pending'),
    disputes: memoryFacts(
      memory,
      memory.disputes,
      ({ state }) => state === 'inquiry' || state === 'open',
    ),
    auditTrail: {
      findByEmail: async (email) => memory.audit.filter((entry) => entry.email === email),
    },
    ledger: memoryLedger(memory),
    outbox: memoryOutbox(memory),
    sweeps: {
      findLastRun: async (sweep) => sweeps.get(sweep) ?? null,
      async recordRun(sweep, startedAt) {
        sweeps.set(sweep, startedAt)
      },
    },
    logOuts: logOuts.port,
    access: {
      findByEmail: async (email, digests) => ({
        grants: memory.grantsOf(email),
        loggedOutIn: logOuts.findByEmail(email, digests()),
        epoch: logOuts.current(),
      }),
    },
    personalData: memoryPersonalData({ ...memory, otps, logOuts }),
    retention: memoryRetention({ ...memory, otps, logOuts }),
    databaseHealth: {
      check: async () => {},
      checkWritable: async () => {},
      lastWriteFailed: () => false,
    },
    statistics: memoryStatistics(memory, otps),
  }
}

/** Counts grant changes in one go, however many there are. */
function memoryStatistics(
  { purchases, messages, audit }: PaymentMemory,
  otps: ReturnType<typeof memoryOtps>,
): Store['statistics'] {
  const count = (state: PurchaseState) =>
    [...purchases.values()].filter((purchase) => purchase.state === state).length

  return {
    countPurchases: async () =>
      Object.fromEntries(PURCHASE_STATES.map((state) => [state, count(state)])) as Record<
        PurchaseState,
        number
      >,
    async countOutbox() {
      const counted = OUTBOX_KINDS.flatMap((kind) =>
        (['waiting', 'given_up'] as const).map((state) => {
          const those = [...messages.values()].filter(
            (message) => message.kind === kind && message.state === state,
          )
          const oldest = Math.min(...those.map(({ createdAt }) => createdAt.getTime()))
          return { kind, state, messages: those.length, oldestAt: new Date(oldest) }
        }),
      )
      return counted.filter(({ messages }) => messages > 0)
    },
    rankWrongTries: async (window) => otps.rankWrongTries(window),
    countServiceMails: async ({ since, until }) => {
      const those = otps.serviceMails.filter(({ at }) => since < at && at <= until)
      return { all: those.length, strangers: those.filter((mail) => !mail.isCustomer).length }
    },
    async rankServiceMails({ since, until, top }) {
      const those = otps.serviceMails.filter(({ at }) => since < at && at <= until)
      const ranked = worstFirst(those.flatMap(({ network }) => network ?? []))
      return ranked.slice(0, top).map(([network, mails]) => ({ network, mails }))
    },
    findLastGrantChange: async () => audit.length,
    async countGrantChanges(after) {
      const alike = Map.groupBy(audit.slice(after), ({ by, reason, isActive }) =>
        [by, reason, isActive].join(),
      )
      const counts = [...alike.values()].flatMap((entries) =>
        entries
          .slice(0, 1)
          .map(({ by, reason, isActive }) => ({ by, reason, isActive, changes: entries.length })),
      )
      return { last: Math.max(after, audit.length), isAll: true, counts }
    },
    measureFiles: async () => null,
  }
}

export type PaymentMemory = ReturnType<typeof paymentMemory>

function paymentMemory() {
  const purchases = new Map<PurchaseId, Purchase>()
  const verifications = new Map<Email, Verification>()
  const operatorGrants: DatedGrant[] = []
  const refunds = new Map<string, Refund>()
  const disputes = new Map<string, Dispute>()
  const foreignPayments = new Map<string, Date>()
  const messages = new Map<OutboxKey, OutboxMessage>()
  const audit: AuditEntry[] = []

  const purchasesOf = (email: Email) =>
    [...purchases.values()]
      .filter((purchase) => purchase.email === email)
      .sort((left, right) => left.createdAt.getTime() - right.createdAt.getTime())
  const grantsOf = (email: Email): PremiumGrant[] => [
    ...operatorGrants
      .filter((grant) => grant.email === email)
      .map(({ since: _, ...grant }) => grant),
    ...purchasesOf(email)
      .filter((purchase) => purchase.state === 'paid')
      .map(({ id, amountPaid, paymentIntentId, revokedAt }) => ({
        id,
        email,
        revokedAt,
        payment: {
          amountPaid,
          refunds: [...refunds.values()].filter((one) => one.paymentIntentId === paymentIntentId),
          disputes: [...disputes.values()].filter((one) => one.paymentIntentId === paymentIntentId),
        },
      })),
  ]

  /** Does the work, which must not throw, and writes down what it changed in the grants of the addresses. */
  function recordChanges(emails: readonly Email[], origin: Origin, work: () => void) {
    const before = emails.flatMap(grantsOf)
    work()
    const changes = findGrantChanges(before, emails.flatMap(grantsOf))
    audit.push(...changes.map((change) => ({ ...change, ...origin })))
  }

  return {
    purchases,
    verifications,
    operatorGrants,
    refunds,
    disputes,
    foreignPayments,
    messages,
    audit,
    purchasesOf,
    grantsOf,
    recordChanges,
    accountOf(email: Email): Account {
      const bought = purchasesOf(email)
      const isOwn = (reversal: Refund | Dispute) =>
        bought.some(({ paymentIntentId }) => paymentIntentId === reversal.paymentIntentId)
      return {
        purchases: bought,
        grants: grantsOf(email),
        refunds: [...refunds.values()].filter(isOwn),
        disputes: [...disputes.values()].filter(isOwn),
        verification: verifications.get(email) ?? null,
      }
    },
    /** Everybody's grants, oldest first. */
    datedGrants(): DatedGrant[] {
      const bought = [...purchases.values()].flatMap((purchase) =>
        purchase.state === 'paid'
          ? grantsOf(purchase.email)
              .filter(({ id }) => id === purchase.id)
              .map((grant) => ({ ...grant, since: purchase.paidAt }))
          : [],
      )
      return [...operatorGrants, ...bought].sort(compareGrants)
    },
    revokeAll(email: Email, origin: Origin) {
      recordChanges([email], origin, () => {
        operatorGrants.forEach((grant, index) => {
          if (grant.email !== email || grant.revokedAt) return
          operatorGrants[index] = { ...grant, revokedAt: origin.at }
        })
        for (const purchase of purchasesOf(email)) {
          if (purchase.state !== 'paid' || purchase.revokedAt) continue
          purchases.set(purchase.id, { ...purchase, revokedAt: origin.at })
        }
      })
    },
  }
}

function memoryPurchases(memory: PaymentMemory): Store['purchases'] {
  const { purchases, messages, accountOf, recordChanges } = memory
  function store(
    {
      purchase,
      messages: following = [],
    }: { purchase: Purchase | null; messages?: readonly OutboxMessage[] },
    origin: Origin,
  ) {
    if (purchase) {
      refuseConflict(purchase, purchases)
      const known = purchases.get(purchase.id)
      const left = known ? leftPayment(known, purchase) : null
      if (left !== null && !memory.foreignPayments.has(left)) {
        memory.foreignPayments.set(left, origin.at)
      }
      recordChanges([purchase.email], origin, () => void purchases.set(purchase.id, purchase))
    }
    for (const message of following) {
      if (!messages.has(message.key)) messages.set(message.key, message)
    }
  }

  return {
    async update(email, origin, change) {
      const result = change(accountOf(email))
      store(result, origin)
      return result
    },
    async updateById(id, origin, change) {
      const purchase = purchases.get(id)
      if (!purchase) return null
      const result = change(accountOf(purchase.email), purchase)
      store(result, origin)
      return result
    },
    findAccount: async (email) => accountOf(email),
    async findAccountByPurchase(id) {
      const purchase = purchases.get(id)
      return purchase ? accountOf(purchase.email) : null
    },
    findById: async (id) => purchases.get(id) ?? null,
    findByPaymentIntentId: async (paymentIntentId) =>
      [...purchases.values()].find((purchase) => purchase.paymentIntentId === paymentIntentId) ??
      null,
    findBySessionId: async (sessionId) =>
      [...purchases.values()].find((purchase) => purchase.sessionId === sessionId) ?? null,
    isAskedPrice: async ({ amount, currency }, { live }) =>
      [...purchases.values()].some(
        (purchase) =>
          purchase.price.amount === amount &&
          purchase.price.currency === currency &&
          purchase.live === live &&
          !(purchase.state === 'review' && purchase.reviewReason === 'order'),
      ),
    list: async ({ states, after, limit }) =>
      [...purchases.values()]
        .filter(({ id, state }) => states.includes(state) && (after === null || id > after))
        .sort((left, right) => (left.id < right.id ? -1 : 1))
        .slice(0, limit),
  }
}

function refuseConflict(purchase: Purchase, purchases: ReadonlyMap<PurchaseId, Purchase>): void {
  for (const other of purchases.values()) {
    if (other.id === purchase.id) continue
    const bothOpen = other.state === 'open' && purchase.state === 'open'
    if (bothOpen && other.email === purchase.email) throw new Error('two open purchases')
    if (purchase.sessionId !== null && other.sessionId === purchase.sessionId) {
      throw new Error('one session under two purchases')
    }
  }
}

function memoryPremiumGrants(memory: PaymentMemory): Store['premiumGrants'] {
  const { operatorGrants, grantsOf, recordChanges } = memory
  return {
    findByEmail: async (email) => grantsOf(email),
    async add({ id, email }, origin) {
      recordChanges([email], origin, () => {
        operatorGrants.push({ id, email, payment: null, revokedAt: null, since: origin.at })
      })
    },
    async revokeAll(email, origin) {
      const revoked = grantsOf(email).filter(({ revokedAt }) => revokedAt === null)
      memory.revokeAll(email, origin)
      return revoked.length
    },
    list: async ({ after, limit }) =>
      memory
        .datedGrants()
        .filter((grant) => after === null || compareGrants(grant, after) > 0)
        .slice(0, limit),
  }
}

/** Refunds or disputes: what is known of payments, by the provider's id. */
function memoryFacts<Fact extends Refund | Dispute>(
  { purchases, foreignPayments, recordChanges }: PaymentMemory,
  facts: Map<string, Fact>,
  isPending: (fact: Fact) => boolean,
) {
  function buyersOf(touched: readonly Fact[]): Email[] {
    const ids = new Set(touched.map(({ paymentIntentId }) => paymentIntentId))
    const buyers = [...purchases.values()]
      .filter(({ paymentIntentId }) => paymentIntentId !== null && ids.has(paymentIntentId))
      .map(({ email }) => email)
    return [...new Set(buyers)]
  }

  return {
    async update<Reported extends { readonly id: string }>(
      reported: readonly Reported[],
      origin: Origin,
      change: (known: Fact | null, reported: Reported) => Fact,
    ): Promise<number> {
      const changed = new Map<string, Fact>()
      let changes = 0
      for (const one of reported) {
        const known = changed.get(one.id) ?? facts.get(one.id) ?? null
        const fact = change(known, one)
        if (fact === known) continue
        changed.set(one.id, fact)
        if (isStateChange(known, fact)) changes++
      }
      recordChanges(buyersOf([...changed.values()]), origin, () => {
        for (const [id, fact] of changed) facts.set(id, fact)
      })
      const ours = new Set([...purchases.values()].map(({ paymentIntentId }) => paymentIntentId))
      for (const { paymentIntentId } of changed.values()) {
        if (ours.has(paymentIntentId) || foreignPayments.has(paymentIntentId)) continue
        foreignPayments.set(paymentIntentId, origin.at)
      }
      return changes
    },
    findById: async (id: string) => facts.get(id) ?? null,
    async findPendingPayments(): Promise<readonly string[]> {
      const ours = new Set([...purchases.values()].map(({ paymentIntentId }) => paymentIntentId))
      const pending = [...facts.values()].filter(isPending)
      const ids = new Set(pending.map(({ paymentIntentId }) => paymentIntentId))
      return [...ids].filter((id) => ours.has(id))
    },
  }
}

/** One that is due later than any wait lasts was put off by a clock that has been set back since. */
function isDue(dueAt: Date, now: Date): boolean {
  return dueAt <= now || dueAt.getTime() > now.getTime() + WAIT_MAX_MS
}

function memoryOutbox({ messages }: PaymentMemory): Store['outbox'] {
  function findDue({ kinds, now }: Parameters<Store['outbox']['takeDue']>[0]) {
    const due = [...messages.values()].filter(
      (message) =>
        message.state === 'waiting' && isDue(message.dueAt, now) && kinds.includes(message.kind),
    )
    return due.toSorted((left, right) => dueAt(left) - dueAt(right))[0] ?? null
  }

  return {
    async takeDue(due, begin) {
      const message = findDue(due)
      if (!message) return null
      const begun = begin(message)
      messages.set(message.key, begun)
      return begun
    },
    async update(key, change) {
      const known = messages.get(key)
      if (!known) return null
      const changed = change(known)
      messages.set(key, changed)
      return changed
    },
    findByPurchase: async (id) =>
      [...messages.values()].filter(({ purchaseId }) => purchaseId === id),
  }
}

function dueAt(message: OutboxMessage): number {
  return message.state === 'waiting' ? message.dueAt.getTime() : Number.MAX_SAFE_INTEGER
}
