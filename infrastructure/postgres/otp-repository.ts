import { eq, inArray, isNotNull } from 'drizzle-orm'
import type { MailCounts, OtpChange, OtpRepository } from '../../application/otp-repository.ts'
import type { Counted } from '../../domain/budget.ts'
import type { FullShares } from '../../domain/mail-limit.ts'
import { type Mailbox, type MailboxDigest, mailboxOf } from '../../domain/mailbox.ts'
import type { OtpOwner } from '../../domain/sender.ts'
import type { PostgresDatabase, Queries, Transaction } from './connection/database.ts'
import { ofAddress, ofMailbox, SERVICE_MAILS } from './connection/locks.ts'
import { findOtpRecord, type StoredOtpRecord, storeOtpRecord } from './otp-records.ts'
import { upsert } from './prepared.ts'
import { otpMails, verifications } from './schema.ts'
import { deleteServiceMail, findFullShares, storeServiceMail } from './service-mails.ts'

const NOTHING_FULL: FullShares = { all: null, strangers: null, network: null }

export function postgresOtpRepository({ read, write }: PostgresDatabase): OtpRepository {
  return {
    update: (owner, decide) =>
      write([ofAddress(owner.email)], async (transaction) => {
        const known = await findOtpRecord(transaction.queries, owner)
        const result = decide(known.record)
        storeChange(transaction, owner, known, result)
        return result
      }),
    updateMails: (owner, { mailboxes, service }, decide) =>
      write(
        [ofAddress(owner.email), ...mailboxes.map(ofMailbox), ...(service ? [SERVICE_MAILS] : [])],
        async (transaction) => {
          const { queries } = transaction
          const [known, mailboxMails, fullShares] = await Promise.all([
            findOtpRecord(queries, owner),
            findMailsInto(queries, mailboxes),
            service ? findFullShares(transaction, service) : NOTHING_FULL,
          ])
          const counts: MailCounts = { record: known.record, mailboxMails, fullShares }
          const result = decide(counts)
          storeChange(transaction, owner, known, result)
          return result
        },
      ),
    findMailboxMails: (mailbox) =>
      read(async (queries) => (await findRows(queries, mailbox)).map(toCounted)),
    forgetMailbox: (mailbox) =>
      write([], async ({ queries, store, lock }) => {
        const emails = new Set((await findRows(queries, mailbox)).map(({ email }) => email))
        lock([...emails].map(ofAddress))
        // An address that has come in between keeps its mails, as if it had come afterwards.
        const rows = (await findRows(queries, mailbox)).filter(({ email }) => emails.has(email))
        for (const email of emails) {
          store(queries.update(otpMails).set({ mailbox: null }).where(eq(otpMails.email, email)))
        }
        return rows.map(toCounted)
      }),
  }
}

async function findMailsInto(
  queries: Queries,
  mailboxes: readonly MailboxDigest[],
): Promise<readonly Counted[]> {
  if (mailboxes.length === 0) return []
  return queries
    .select({ at: otpMails.sentAt, network: otpMails.network })
    .from(otpMails)
    .where(inArray(otpMails.mailbox, [...mailboxes]))
}

/** By the addresses, since the key of the digests is not here. */
async function findRows(queries: Queries, mailbox: Mailbox) {
  const rows = await queries
    .select({ email: otpMails.email, at: otpMails.sentAt, network: otpMails.network })
    .from(otpMails)
    .where(isNotNull(otpMails.mailbox))
  return rows.filter(({ email }) => mailboxOf(email) === mailbox)
}

function toCounted({ at, network }: Counted): Counted {
  return { at, network }
}

function storeChange(
  transaction: Transaction,
  owner: OtpOwner,
  known: StoredOtpRecord,
  { record, verification, serviceMail, releasedServiceMail }: OtpChange,
): void {
  const { queries, store } = transaction
  if (record !== known.record) storeOtpRecord(transaction, owner, known, record)
  if (verification) {
    store(upsert(queries, verifications, [verifications.email], verification))
  }
  if (serviceMail) storeServiceMail(transaction, serviceMail)
  if (releasedServiceMail) deleteServiceMail(transaction, releasedServiceMail)
}
