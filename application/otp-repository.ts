import type { Counted } from '../domain/budget.ts'
import type { ClientNetwork } from '../domain/client-network.ts'
import type { FullShares, MailShare, ServiceMail } from '../domain/mail-limit.ts'
import type { Mailbox, MailboxDigest } from '../domain/mailbox.ts'
import type { OtpRecord } from '../domain/otp.ts'
import type { OtpOwner } from '../domain/sender.ts'
import type { Verification } from '../domain/verification.ts'

/** What is stored beside the record of an owner. Each part is left out, or null, where there is none. */
export type OtpChange = {
  readonly record: OtpRecord
  readonly verification?: Verification | null
  /** A mail that the whole service counts from now on. */
  readonly serviceMail?: ServiceMail | null
  /** One that was counted and could not be sent. */
  readonly releasedServiceMail?: ServiceMail | null
}

/** Which mails of the whole service are counted: those after `since` up to `until`, and so many of each share. */
export type ServiceMailWindow = {
  readonly since: Date
  readonly until: Date
  readonly network: ClientNetwork | null
  readonly shares: Readonly<Record<MailShare, number>>
}

/** All that decides whether a mail may be sent. */
export type MailCounts = {
  readonly record: OtpRecord
  /** Those to any address of the mailbox. */
  readonly mailboxMails: readonly Counted[]
  /** Without a limit no share is ever full. */
  readonly fullShares: FullShares
}

/** At most one record per owner; an unknown one has the empty one. */
export type OtpRepository = {
  /** Stores all that the change returns, or nothing. */
  update<Result extends OtpChange>(
    owner: OtpOwner,
    change: (record: OtpRecord) => Result,
  ): Promise<Result>
  /**
   * As `update`, for a change that depends on the mails into the owner's mailbox, under any of its digests, and on
   * those of the whole service. Deletes mails of the service that say they were sent after the window.
   */
  updateMails<Result extends OtpChange>(
    owner: OtpOwner,
    counted: { mailboxes: readonly MailboxDigest[]; service: ServiceMailWindow | null },
    change: (counts: MailCounts) => Result,
  ): Promise<Result>
  /** Those that count for the mailbox, to whichever of its addresses. Needs no key, and looks at every mail. */
  findMailboxMails(mailbox: Mailbox): Promise<readonly Counted[]>
  /** As `findMailboxMails`; from now on those mails count for their addresses alone. */
  forgetMailbox(mailbox: Mailbox): Promise<readonly Counted[]>
}
