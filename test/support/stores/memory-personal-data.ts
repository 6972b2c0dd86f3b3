import type { DatedGrant, PersonalRecords, Store } from '../../../application/store.ts'
import type { Email } from '../../../domain/email.ts'
import { type EmailTrace, isErased } from '../../../domain/erasure.ts'
import type { OtpRecord } from '../../../domain/otp.ts'
import type { PrunedKind } from '../../../domain/retention.ts'
import type { PaymentMemory } from './memory-store.ts'

/** Where tokens are void: an address's own lines, those that erasures left, and everybody's. */
export function lineMemory() {
  const own = new Map<Email, Date>()
  const erased = new Map<EmailTrace, Date>()
  let common: Date | null = null
  const latest = (...lines: (Date | null | undefined)[]) =>
    lines.reduce<Date | null>((last, line) => (line && !(last && last > line) ? line : last), null)

  return {
    own,
    erased,
    possible: (email: Email) => latest(own.get(email), ...erased.values(), common),
    drawCommon(line: Date) {
      common = latest(common, line)
    },
    port: {
      findByEmail: async (email, traces = []) =>
        latest(own.get(email), ...traces.map((trace) => erased.get(trace)), common),
      async update(email, change) {
        own.set(email, change(latest(own.get(email), ...erased.values(), common)))
      },
    } satisfies Store['logOuts'],
  }
}

type Memory = PaymentMemory & {
  readonly otps: Map<Email, OtpRecord>
  readonly lines: ReturnType<typeof lineMemory>
}

/** The sandbox's sessions are not kept here. */
export function memoryPersonalData(memory: Memory): Store['personalData'] {
  const { otps, verifications, lines, purchases, operatorGrants, messages, audit } = memory

  return {
    find: async (email) => findRecords(memory, email),
    async erase(email, { name, trace, cause }, judge) {
      const account = memory.accountOf(email)
      const verdict = judge(account, lines.possible(email))
      if (!verdict) return null
      for (const purchase of verdict.closed) purchases.set(purchase.id, purchase)
      memory.revokeAll(email, cause)
      otps.delete(email)
      verifications.delete(email)
      lines.own.delete(email)
      lines.erased.set(trace, verdict.lineAt)
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
  const { current, replacement, mailedAt, wrongTriesAt } = memory.otps.get(email) ?? {}
  const codes = [current, replacement].flatMap((otp) => {
    if (!otp) return []
    const { seed: _, ...code } = otp
    return [code]
  })
  return {
    codes,
    codeMailsAt: mailedAt ?? [],
    wrongTriesAt: wrongTriesAt ?? [],
    verification: verification && {
      email,
      verifiedAt: verification.verifiedAt,
      expiresAt: verification.expiresAt,
    },
    logOutLineAt: memory.lines.own.get(email) ?? null,
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
  const { otps, verifications, lines, purchases, messages, audit } = memory
  type Moments = 'mailedAt' | 'wrongTriesAt'

  function pruneMoments(of: Moments, upTo: Date, limit: number): number {
    let pruned = 0
    for (const [email, record] of otps) {
      const kept = record[of].filter((at) => at > upTo || ++pruned > limit)
      otps.set(email, { ...record, [of]: kept })
    }
    return Math.min(pruned, limit)
  }

  function pruneCodes(upTo: Date, limit: number): number {
    let pruned = 0
    for (const [email, record] of otps) {
      for (const role of ['current', 'replacement'] as const) {
        const otp = record[role]
        if (!otp || otp.expiresAt > upTo || pruned === limit) continue
        otps.set(email, { ...(otps.get(email) ?? record), [role]: null })
        pruned++
      }
    }
    return pruned
  }

  const prunes: Record<PrunedKind, (upTo: Date, limit: number) => number> = {
    codes: pruneCodes,
    code_mails: (upTo, limit) => pruneMoments('mailedAt', upTo, limit),
    wrong_tries: (upTo, limit) => pruneMoments('wrongTriesAt', upTo, limit),
    verifications: (upTo, limit) =>
      deleteSome(verifications, ({ expiresAt }) => expiresAt <= upTo, limit).length,
    log_outs(upTo, limit) {
      const isOld = (line: Date) => line <= upTo
      const own = deleteSome(lines.own, isOld, limit)
      const pruned = [...own, ...deleteSome(lines.erased, isOld, limit - own.length)]
      pruned.forEach(lines.drawCommon)
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
    sandbox_sessions: () => 0,
    audit_entries(upTo, limit) {
      const old = audit.filter(({ at }) => at <= upTo).slice(0, limit)
      audit.splice(0, Infinity, ...audit.filter((entry) => !old.includes(entry)))
      return old.length
    },
  }
  return { prune: async (kind, { upTo, limit }) => prunes[kind](upTo, limit) }
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
