import type { DatedGrant, PersonalRecords, Store } from '../../../application/store.ts'
import type { Email } from '../../../domain/email.ts'
import { type ErasedEmailDigest, isErased } from '../../../domain/erasure.ts'
import { type Epoch, FIRST_EPOCH } from '../../../domain/log-out.ts'
import { EMPTY_OTP_RECORD } from '../../../domain/otp.ts'
import type { PrunedKind } from '../../../domain/retention.ts'
import { SENDER_KINDS } from '../../../domain/sender.ts'
import type { memoryOtps } from './memory-otps.ts'
import type { PaymentMemory } from './memory-store.ts'

/** The epochs before which tokens are void: an address's own, those that erasures left, and everybody's. */
export function memoryLogOuts() {
  const own = new Map<Email, Epoch>()
  const erased = new Map<ErasedEmailDigest, Epoch>()
  let common: Epoch | null = null
  let current = FIRST_EPOCH
  const latest = (...epochs: (Epoch | null | undefined)[]) =>
    epochs.reduce<Epoch | null>(
      (last, epoch) => (epoch != null && !(last !== null && last > epoch) ? epoch : last),
      null,
    )

  function findByEmail(email: Email, digests: readonly ErasedEmailDigest[]): Epoch | null {
    return latest(own.get(email), ...digests.map((digest) => erased.get(digest)), common)
  }

  return {
    own,
    erased,
    findByEmail,
    current: () => current,
    begin(epoch: Epoch) {
      current = epoch
    },
    raiseCommon(epoch: Epoch) {
      common = latest(common, epoch)
    },
    port: {
      async update(email, change) {
        current = change(current)
        own.set(email, current)
      },
    } satisfies Store['logOuts'],
  }
}

type Memory = PaymentMemory & {
  readonly otps: ReturnType<typeof memoryOtps>
  readonly logOuts: ReturnType<typeof memoryLogOuts>
}

/** The sandbox's sessions are not kept here. */
export function memoryPersonalData(memory: Memory): Store['personalData'] {
  const { otps, verifications, logOuts, purchases, operatorGrants, messages, audit } = memory

  return {
    find: async (email) => findRecords(memory, email),
    async erase(email, { name, digests, origin }, decide) {
      const account = memory.accountOf(email)
      const decision = decide(account, logOuts.current())
      if (!decision) return null
      for (const purchase of decision.closed) purchases.set(purchase.id, purchase)
      memory.revokeAll(email, origin)
      for (const sender of SENDER_KINDS) otps.save({ email, sender }, EMPTY_OTP_RECORD)
      verifications.delete(email)
      logOuts.own.delete(email)
      logOuts.begin(decision.epoch)
      for (const digest of digests) logOuts.erased.set(digest, decision.epoch)
      const rename = <Item extends { readonly email: Email }>(item: Item): Item =>
        item.email === email ? { ...item, email: name } : item
      const isOwn = (item: { readonly email: Email }) => item.email === email
      const kept = {
        purchases: account.purchases.length,
        operatorGrants: operatorGrants.filter(isOwn).length,
        refunds: account.refunds.length,
        disputes: account.disputes.length,
        messages: [...messages.values()].filter(isOwn).length,
        auditEntries: audit.filter(isOwn).length,
        sandboxSessions: 0,
      }
      for (const [id, purchase] of purchases) purchases.set(id, rename(purchase))
      for (const [key, message] of messages) messages.set(key, rename(message))
      operatorGrants.splice(0, Infinity, ...operatorGrants.map(rename))
      audit.splice(0, Infinity, ...audit.map(rename))
      return kept
    },
  }
}

function findRecords(memory: Memory, email: Email): PersonalRecords {
  const { purchases, refunds, disputes, verification } = memory.accountOf(email)
  const loggedOutIn = memory.logOuts.own.get(email)
  const owned = SENDER_KINDS.map((sender) => ({ sender, ...memory.otps.find({ email, sender }) }))
  const codes = owned.flatMap(({ sender, current, replacement }) =>
    [current, replacement].flatMap((otp) => {
      if (!otp) return []
      const { seed: _, ...code } = otp
      return [{ ...code, sender }]
    }),
  )
  return {
    codes,
    codeMails: owned.flatMap(({ sender, mails }) =>
      mails.map(({ at, network }) => ({ at, network, sender })),
    ),
    wrongTries: owned.flatMap(({ sender, wrongTries }) =>
      wrongTries.map((counted) => ({ ...counted, sender })),
    ),
    verification: verification && {
      email,
      verifiedAt: verification.verifiedAt,
      expiresAt: verification.expiresAt,
    },
    logOutLineAt: loggedOutIn === undefined ? null : new Date(loggedOutIn),
    purchases,
    grants: memory.datedGrants().filter((grant) => grant.email === email),
    refunds,
    disputes,
    messages: [...memory.messages.values()].filter((message) => message.email === email),
    audit: memory.audit.filter((entry) => entry.email === email),
    sandboxSessions: [],
  }
}

export function memoryRetention(memory: Memory): Store['retention'] {
  const { otps, verifications, logOuts, purchases, messages, audit } = memory

  function pruneCounted(
    of: 'mails' | 'wrongTries',
    isPruned: (at: Date) => boolean,
    limit: number,
  ): number {
    let pruned = 0
    for (const { owner, record } of [...otps.records.values()]) {
      const isKept = ({ at }: { readonly at: Date }) => !isPruned(at) || ++pruned > limit
      otps.save(owner, { ...record, [of]: record[of].filter(isKept) })
    }
    return Math.min(pruned, limit)
  }

  function pruneCodes(upTo: Date, limit: number, isPruned = (_email: Email) => true): number {
    let pruned = 0
    for (const { owner, record } of [...otps.records.values()]) {
      for (const role of ['current', 'replacement'] as const) {
        const otp = record[role]
        if (!otp || otp.expiresAt > upTo || pruned === limit || !isPruned(owner.email)) continue
        otps.save(owner, { ...otps.find(owner), [role]: null })
        pruned++
      }
    }
    return pruned
  }

  function isUnproven(email: Email): boolean {
    const { verification, purchases: bought, grants } = memory.accountOf(email)
    return verification === null && bought.length === 0 && grants.length === 0
  }

  const prunes: Record<PrunedKind, (upTo: Date, limit: number) => number> = {
    codes: pruneCodes,
    unproven_codes: (upTo, limit) => pruneCodes(upTo, limit, isUnproven),
    code_mails: (upTo, limit) => pruneCounted('mails', (at) => at <= upTo, limit),
    future_code_mails: (from, limit) => pruneCounted('mails', (at) => at > from, limit),
    wrong_tries: (upTo, limit) => pruneCounted('wrongTries', (at) => at <= upTo, limit),
    future_wrong_tries: (from, limit) => pruneCounted('wrongTries', (at) => at > from, limit),
    service_mails(upTo, limit) {
      const old = otps.serviceMails.filter(({ at }) => at <= upTo).slice(0, limit)
      const left = otps.serviceMails.filter((mail) => !old.includes(mail))
      otps.serviceMails.splice(0, Infinity, ...left)
      return old.length
    },
    verifications: (upTo, limit) =>
      deleteSome(verifications, ({ expiresAt }) => expiresAt <= upTo, limit).length,
    log_outs(upTo, limit) {
      const isOld = (epoch: Epoch) => epoch <= upTo.getTime()
      const own = deleteSome(logOuts.own, isOld, limit)
      const pruned = [...own, ...deleteSome(logOuts.erased, isOld, limit - own.length)]
      pruned.forEach(logOuts.raiseCommon)
      return pruned.length
    },
    messages: (upTo, limit) =>
      deleteSome(
        messages,
        (message) =>
          (message.state === 'done' || message.state === 'dropped') && message.endedAt <= upTo,
        limit,
      ).length,
    unpaid_purchases: (upTo, limit) =>
      deleteSome(
        purchases,
        ({ state, expiresAt, email }) =>
          state === 'closed' && expiresAt <= upTo && !isErased(email),
        limit,
      ).length,
    foreign_reversals: (upTo, limit) => pruneForeignReversals(memory, upTo, limit),
    sandbox_sessions: () => 0,
    audit_entries(upTo, limit) {
      const old = audit.filter(({ at }) => at <= upTo).slice(0, limit)
      audit.splice(0, Infinity, ...audit.filter((entry) => !old.includes(entry)))
      return old.length
    },
  }
  return { prune: async (kind, { upTo, limit }) => prunes[kind](upTo, limit) }
}

function pruneForeignReversals(
  { purchases, refunds, disputes, foreignPayments }: Memory,
  upTo: Date,
  limit: number,
): number {
  const all = [...purchases.values()]
  for (const { paymentIntentId } of all) foreignPayments.delete(paymentIntentId ?? '')
  if (all.some(({ state, createdAt }) => state === 'open' && createdAt <= upTo)) return 0

  const old = [...foreignPayments].filter(([, storedAt]) => storedAt <= upTo).slice(0, limit)
  for (const [payment] of old) {
    foreignPayments.delete(payment)
    deleteSome(refunds, ({ paymentIntentId }) => paymentIntentId === payment, Infinity)
    deleteSome(disputes, ({ paymentIntentId }) => paymentIntentId === payment, Infinity)
  }
  return old.length
}

/** Returns those that it deleted. */
function deleteSome<Key, Item>(
  items: Map<Key, Item>,
  isOld: (item: Item) => boolean,
  limit: number,
): readonly Item[] {
  const old = [...items].filter(([, item]) => isOld(item)).slice(0, limit)
  for (const [key] of old) items.delete(key)
  return old.map(([, item]) => item)
}

/** Oldest first. */
export function compareGrants(
  left: Pick<DatedGrant, 'since' | 'id'>,
  right: Pick<DatedGrant, 'since' | 'id'>,
): number {
  const byAge = left.since.getTime() - right.since.getTime()
  return byAge || (left.id === right.id ? 0 : left.id < right.id ? -1 : 1)
}
