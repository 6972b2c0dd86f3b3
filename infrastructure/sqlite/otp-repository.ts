import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { OtpChange, OtpRepository } from '../../application/otp-repository.ts'
import type { Counted } from '../../domain/budget.ts'
import type { FullShares } from '../../domain/mail-limit.ts'
import { type Mailbox, mailboxOf } from '../../domain/mailbox.ts'
import type { OtpRecord } from '../../domain/otp.ts'
import type { OtpOwner } from '../../domain/sender.ts'
import { toOtpRecord } from '../database/rows.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareInsert, prepareUpsert } from './prepared-writes.ts'
import { otpMails, otps, otpWrongTries, verifications } from './schema.ts'
import {
  prepareDeleteFutureServiceMails,
  prepareDeleteServiceMail,
  prepareFindFullShares,
  prepareInsertServiceMail,
} from './service-mails.ts'

const EMAIL = sql.placeholder('email')
const SENDER = sql.placeholder('sender')
const MAIL = { at: otpMails.sentAt, network: otpMails.network }

const NOTHING_FULL: FullShares = { all: null, strangers: null, network: null }

export function sqliteOtpRepository({ queries, read, write }: SqliteDatabase): OtpRepository {
  const find = prepareFindOtpRecord(queries)
  const store = prepareStore(queries)
  const findFullShares = prepareFindFullShares(queries.$client)
  const deleteFutureServiceMails = prepareDeleteFutureServiceMails(queries.$client)
  const selectOfMailbox = queries
    .select(MAIL)
    .from(otpMails)
    .where(eq(otpMails.mailbox, sql.placeholder('mailbox')))
    .prepare()
  const mailboxMails = prepareMailboxMails(queries)

  return {
    update: async (owner, change) =>
      write(() => {
        const known = find(owner)
        const result = change(known)
        store(owner, known, result)
        return result
      }),
    updateMails: async (owner, { mailboxes, service }, change) =>
      write(() => {
        const known = find(owner)
        if (service) deleteFutureServiceMails(service)
        const result = change({
          record: known,
          mailboxMails: mailboxes.flatMap((mailbox) => selectOfMailbox.all({ mailbox })),
          fullShares: service ? findFullShares(service) : NOTHING_FULL,
        })
        store(owner, known, result)
        return result
      }),
    findMailboxMails: async (mailbox) => read(() => mailboxMails.find(mailbox)),
    forgetMailbox: async (mailbox) => write(() => mailboxMails.forget(mailbox)),
  }
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
): (owner: OtpOwner, known: OtpRecord, change: OtpChange) => void {
  const save = prepareSave(queries)
  const saveVerification = prepareUpsert(queries, verifications)
  const insertServiceMail = prepareInsertServiceMail(queries)
  const deleteServiceMail = prepareDeleteServiceMail(queries.$client)

  return (owner, known, { record, verification, serviceMail, releasedServiceMail }) => {
    if (record !== known) save(owner, record)
    if (verification) saveVerification(verification)
    if (serviceMail) insertServiceMail(serviceMail)
    if (releasedServiceMail) deleteServiceMail(releasedServiceMail)
  }
}

/** Several statements: the caller sees to it that they see one moment. */
export function prepareFindOtpRecord(queries: Queries): (owner: OtpOwner) => OtpRecord {
  const selectOtps = queries
    .select({
      role: otps.role,
      otp: {
        seed: otps.seed,
        issuedAt: otps.issuedAt,
        expiresAt: otps.expiresAt,
        attemptsLeft: otps.attemptsLeft,
      },
    })
    .from(otps)
    .where(and(eq(otps.email, EMAIL), eq(otps.sender, SENDER)))
    .prepare()
  const selectMails = queries
    .select({ ...MAIL, mailbox: otpMails.mailbox })
    .from(otpMails)
    .where(and(eq(otpMails.email, EMAIL), eq(otpMails.sender, SENDER)))
    .orderBy(otpMails.position)
    .prepare()
  const selectWrongTries = queries
    .select({ at: otpWrongTries.triedAt, network: otpWrongTries.network })
    .from(otpWrongTries)
    .where(and(eq(otpWrongTries.email, EMAIL), eq(otpWrongTries.sender, SENDER)))
    .orderBy(otpWrongTries.position)
    .prepare()

  return (owner) =>
    toOtpRecord({
      otps: selectOtps.all(owner),
      mails: selectMails.all(owner),
      wrongTries: selectWrongTries.all(owner),
    })
}

function prepareSave(queries: Queries): (owner: OtpOwner, record: OtpRecord) => void {
  const deletions = [otps, otpMails, otpWrongTries].map((table) =>
    queries
      .delete(table)
      .where(and(eq(table.email, EMAIL), eq(table.sender, SENDER)))
      .prepare(),
  )
  const insertOtp = prepareInsert(queries, otps)
  const insertMail = prepareInsert(queries, otpMails)
  const insertWrongTry = prepareInsert(queries, otpWrongTries)

  return ({ email, sender }, { current, replacement, mails, wrongTries }) => {
    const owner = { email, sender }
    for (const deletion of deletions) deletion.run(owner)
    if (current) insertOtp({ ...owner, role: 'current', ...current })
    if (replacement) insertOtp({ ...owner, role: 'replacement', ...replacement })
    mails.forEach(({ at, network, mailbox }, position) => {
      insertMail({ ...owner, position, sentAt: at, network, mailbox })
    })
    wrongTries.forEach(({ at, network }, position) => {
      insertWrongTry({ ...owner, position, triedAt: at, network })
    })
  }
}
