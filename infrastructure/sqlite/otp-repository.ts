import type { Database } from 'bun:sqlite'
import { eq, isNotNull, sql } from 'drizzle-orm'
import type { OtpChange, OtpRepository } from '../../application/otp-repository.ts'
import type { Counted } from '../../domain/budget.ts'
import { DomainError } from '../../domain/errors.ts'
import type { FullShares } from '../../domain/mail-limit.ts'
import { type Mailbox, type MailboxDigest, mailboxOf } from '../../domain/mailbox.ts'
import type { OtpOwner } from '../../domain/sender.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareFindOtpRecord, prepareSaveOtpRecord, type StoredOtpRecord } from './otp-records.ts'
import { prepareUpsert } from './prepared-writes.ts'
import { otpMails, verifications } from './schema.ts'
import {
  prepareDeleteServiceMail,
  prepareInsertServiceMail,
  prepareServiceMailShares,
} from './service-mails.ts'

const EMAIL = sql.placeholder('email')
const MAIL = { at: otpMails.sentAt, network: otpMails.network }

const NOTHING_FULL: FullShares = { all: null, strangers: null, network: null }

export function sqliteOtpRepository({ queries, read, write }: SqliteDatabase): OtpRepository {
  const find = prepareFindOtpRecord(queries)
  const store = prepareStore(queries)
  const serviceMailShares = prepareServiceMailShares(queries.$client)
  const findMailsInto = prepareFindMailsInto(queries.$client)
  const mailboxMails = prepareMailboxMails(queries)

  const change = <Result>(work: () => Result) =>
    write(work).catch((error) => {
      if (!(error instanceof DomainError)) serviceMailShares.forgetCounts()
      throw error
    })

  return {
    update: (owner, decide) =>
      change(() => {
        const known = find(owner)
        const result = decide(known.record)
        store(owner, known, result)
        return result
      }),
    updateMails: (owner, { mailboxes, service }, decide) =>
      change(() => {
        const known = find(owner)
        const result = decide({
          record: known.record,
          mailboxMails: mailboxes.flatMap(findMailsInto),
          fullShares: service ? serviceMailShares.findFull(service) : NOTHING_FULL,
        })
        store(owner, known, result)
        return result
      }),
    findMailboxMails: async (mailbox) => read(() => mailboxMails.find(mailbox)),
    forgetMailbox: async (mailbox) => write(() => mailboxMails.forget(mailbox)),
  }
}

function prepareFindMailsInto(client: Database): (mailbox: MailboxDigest) => Counted[] {
  const select = client.prepare<{ at: number } & Pick<Counted, 'network'>, [MailboxDigest]>(
    'SELECT sent_at AS at, network FROM otp_mails WHERE mailbox = ?1',
  )
  const toCounted = ({ at, network }: ReturnType<typeof select.all>[number]): Counted => ({
    at: new Date(at),
    network,
  })
  return (mailbox) => select.all(mailbox).map(toCounted)
}

/** By the addresses, since the key of the digests is not here. */
function prepareMailboxMails(queries: Queries) {
  const select = queries
    .select({ ...MAIL, email: otpMails.email })
    .from(otpMails)
    .where(isNotNull(otpMails.mailbox))
    .prepare()
  const forgetOf = queries
    .update(otpMails)
    .set({ mailbox: null })
    .where(eq(otpMails.email, EMAIL))
    .prepare()
  const findRows = (mailbox: Mailbox) =>
    select.all().filter(({ email }) => mailboxOf(email) === mailbox)
  const toCounted = ({ at, network }: Counted): Counted => ({ at, network })

  return {
    find: (mailbox: Mailbox) => findRows(mailbox).map(toCounted),
    forget(mailbox: Mailbox) {
      const rows = findRows(mailbox)
      for (const { email } of rows) forgetOf.run({ email })
      return rows.map(toCounted)
    },
  }
}

function prepareStore(
  queries: Queries,
): (owner: OtpOwner, known: StoredOtpRecord, change: OtpChange) => void {
  const saveRecord = prepareSaveOtpRecord(queries)
  const saveVerification = prepareUpsert(queries, verifications)
  const insertServiceMail = prepareInsertServiceMail(queries.$client)
  const deleteServiceMail = prepareDeleteServiceMail(queries.$client)

  return (owner, known, { record, verification, serviceMail, releasedServiceMail }) => {
    if (record !== known.record) saveRecord(owner, known, record)
    if (verification) saveVerification(verification)
    if (serviceMail) insertServiceMail(serviceMail)
    if (releasedServiceMail) deleteServiceMail(releasedServiceMail)
  }
}
