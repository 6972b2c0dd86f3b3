import type { Brand } from './brand.ts'
import type { Email } from './email.ts'

/** The mailbox that addresses may share, in the form of an address. */
export type Mailbox = Brand<string, 'Mailbox'>

/** Stands for a mailbox where its mails are counted: a digest under a secret key, worthless without that key. */
export type MailboxDigest = Brand<string, 'MailboxDigest'>

const GMAIL = 'gmail.com'
/** Both domains have the same mailboxes, and dots make no difference: https://support.google.com/mail/answer/7436150 */
const GMAIL_DOMAINS: readonly string[] = [GMAIL, 'googlemail.com']

// Why: docs/decisions.md#mails-are-counted-for-the-mailbox-too
/** The mailbox in which an address's mails arrive, for all that is known: without `+tag`, and at Gmail without dots. */
export function mailboxOf(email: Email): Mailbox {
  const at = email.lastIndexOf('@')
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)]
  const tag = local.indexOf('+')
  // Before a plus at the beginning there is no name.
  const name = tag > 0 ? local.slice(0, tag) : local
  const mailbox = GMAIL_DOMAINS.includes(domain)
    ? `${name.replaceAll('.', '')}@${GMAIL}`
    : `${name}@${domain}`
  return mailbox as Mailbox
}
