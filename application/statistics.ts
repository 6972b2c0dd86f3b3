import type { ClientNetwork } from '../domain/client-network.ts'
import type { Email } from '../domain/email.ts'
import type { AuditEntry } from '../domain/grant-change.ts'
import type { MailLimitUse } from '../domain/mail-limit.ts'
import type { OutboxKind } from '../domain/outbox.ts'
import type { PurchaseState } from '../domain/purchase.ts'

/** Figures of the whole database, for monitoring. Cheap enough to be read every few seconds. */
export type Statistics = {
  /** Not of one moment: a purchase that moves meanwhile may count twice, or not at all. */
  countPurchases(): Promise<Readonly<Record<PurchaseState, number>>>
  /** The messages that wait or were given up. A kind without any is left out. */
  countOutbox(): Promise<readonly OutboxCount[]>
  /** Wrong codes within these moments, and of what they hit most at most `top` each, the worst first. */
  rankWrongTries(window: { from: Date; until: Date; top: number }): Promise<WrongTryRanking>
  /** Code mails of the whole service after `since`, up to `until`; none where nothing bounds them. */
  countServiceMails(window: {
    since: Date
    until: Date
  }): Promise<Readonly<Record<keyof MailLimitUse, number>>>
  /** Of the same mails, the networks that asked for most of them: at most `top`, the worst first. */
  rankServiceMails(window: {
    since: Date
    until: Date
    top: number
  }): Promise<readonly { readonly network: ClientNetwork; readonly mails: number }[]>
  /** The last entry of the audit trail, 0 where there is none. */
  findLastGrantChange(): Promise<number>
  /** The changes of grants that are on record after an entry of the audit trail. */
  countGrantChanges(after: number): Promise<GrantChangeCounts>
  /** Null for a database that has no files. */
  measureFiles(): Promise<FileSizes | null>
}

/** Wrong codes over all addresses. Those of holders of a token came from no network that is known. */
export type WrongTryRanking = {
  readonly tries: number
  readonly addresses: number
  readonly networks: number
  readonly topAddresses: readonly { readonly email: Email; readonly tries: number }[]
  readonly topNetworks: readonly { readonly network: ClientNetwork; readonly tries: number }[]
}

export type OutboxCount = {
  readonly kind: OutboxKind
  readonly state: 'waiting' | 'given_up'
  readonly messages: number
  /** When the oldest of them was made. */
  readonly oldestAt: Date
}

type GrantChangeCounts = {
  /** The last entry that was counted. */
  readonly last: number
  /** False where there are more of them than are counted at once. */
  readonly isAll: boolean
  /** Changes that are alike count together. */
  readonly counts: readonly (Pick<AuditEntry, 'by' | 'reason' | 'isActive'> & {
    readonly changes: number
  })[]
}

export type FileSizes = {
  readonly databaseBytes: number
  /** What was written to the write-ahead log, and is not yet in the database's own file. */
  readonly logBytes: number
  /** What is left on the disk. */
  readonly freeBytes: number
}
