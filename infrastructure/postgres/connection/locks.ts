import type { Brand } from '../../../domain/brand.ts'
import type { Email } from '../../../domain/email.ts'
import type { MailboxDigest } from '../../../domain/mailbox.ts'

// Why: docs/decisions.md#postgresql-rows-are-locked-in-one-order
/**
 * A row of the table `locks`. Several names share one, which costs a wait now and then and is never wrong. They are
 * taken in ascending order, so that no two transactions wait for each other: first those of addresses, last that of the
 * epoch.
 */
export type Lock = Brand<number, 'Lock'>

const ADDRESSES = { first: 0, count: 4096 }
const PAYMENTS = { first: 4096, count: 1024 }
const MAILBOXES = { first: 5120, count: 1024 }
const SINGLE = 6144

/** Everything that hangs on an address: codes, verification, purchases, grants, log-outs. */
export function ofAddress(email: Email): Lock {
  return among(ADDRESSES, email)
}

/** Which purchase a payment belongs to, and what came back of it. */
export function ofPayment(paymentIntentId: string): Lock {
  return among(PAYMENTS, paymentIntentId)
}

/** The mails into a mailbox, to whichever of its addresses. */
export function ofMailbox(digest: MailboxDigest): Lock {
  return among(MAILBOXES, digest)
}

/** The mails of the whole service. */
export const SERVICE_MAILS = SINGLE as Lock

/** The epoch of the database. */
export const EPOCH = (SINGLE + 1) as Lock

function among({ first, count }: { first: number; count: number }, name: string): Lock {
  return (first + (Bun.hash.xxHash32(name) % count)) as Lock
}
