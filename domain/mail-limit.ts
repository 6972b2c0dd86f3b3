import { latest } from './budget.ts'
import type { ClientNetwork } from './client-network.ts'
import { DomainError } from './errors.ts'

// Why: docs/decisions.md#the-service-mails-so-many-codes-and-half-of-them-to-customers
/** So many code mails the whole service sends within any window of that length. */
export type MailLimit = { readonly limit: number; readonly windowMs: number }

/** A code mail as the whole service counts it. It names no address. */
export type ServiceMail = {
  readonly at: Date
  /** Whether it went to an address that ever had premium. */
  readonly isCustomer: boolean
  /** Of the stranger who asked for it, whomever it went to; null for a holder of a token. */
  readonly network: ClientNetwork | null
}

/** What the limit bounds: all mails, those to addresses that never had premium, and those that a network asked for. */
export type MailShare = 'all' | 'strangers' | 'network'

const OF_A_NETWORK_MIN = 5
const ALARMING = 0.8

/** How many mails of each share fit into the window. */
export function mailShares({ limit }: MailLimit): Readonly<Record<MailShare, number>> {
  const strangers = Math.ceil(limit / 2)
  return {
    all: limit,
    strangers,
    network: Math.max(OF_A_NETWORK_MIN, Math.floor(strangers / 10)),
  }
}

/**
 * Since when each share has been full: where n mails fit into it, the moment of its nth newest one within the window.
 * Null where there are fewer.
 */
export type FullShares = Readonly<Record<MailShare, Date | null>>

/** Throws `mail_limit_reached`, with the moment at which this mail fits into every share that bounds it. */
export function assertMailFits(
  full: FullShares,
  { windowMs, isCustomer }: { windowMs: number; isCustomer: boolean },
): void {
  const fullSince = latest([full.all, full.network, isCustomer ? null : full.strangers])
  if (fullSince) {
    throw new DomainError('mail_limit_reached', new Date(fullSince.getTime() + windowMs))
  }
}

/** How much of the limit, and of the strangers' half, is used up: from 0 to 1. */
export type MailLimitUse = Readonly<Record<Exclude<MailShare, 'network'>, number>>

export function mailLimitUse(
  mails: Readonly<Record<keyof MailLimitUse, number>>,
  limit: MailLimit,
): MailLimitUse {
  const shares = mailShares(limit)
  return { all: mails.all / shares.all, strangers: mails.strangers / shares.strangers }
}

export function isMailLimitNear({ all, strangers }: MailLimitUse): boolean {
  return Math.max(all, strangers) >= ALARMING
}
