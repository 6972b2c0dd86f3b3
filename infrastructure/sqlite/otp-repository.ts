import { eq, sql } from 'drizzle-orm'
import type { OtpRepository } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { OtpRecord } from '../../domain/otp.ts'
import { toOtpRecord } from '../database/rows.ts'
import type { Queries, SqliteDatabase } from './database.ts'
import { prepareInsert, prepareUpsert } from './prepared-writes.ts'
import { otpMails, otps, otpWrongTries, verifications } from './schema.ts'

const EMAIL = sql.placeholder('email')

export function sqliteOtpRepository({ queries, write }: SqliteDatabase): OtpRepository {
  const find = prepareFindOtpRecord(queries)
  const save = prepareSave(queries)
  const saveVerification = prepareUpsert(queries, verifications)

  return {
    update: async (email, change) =>
      write(() => {
        const known = find(email)
        const result = change(known)
        if (result.record !== known) save(email, result.record)
        if (result.verification) saveVerification(result.verification)
        return result
      }),
  }
}

/** Several statements: the caller sees to it that they see one moment. */
export function prepareFindOtpRecord(queries: Queries): (email: Email) => OtpRecord {
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
    .where(eq(otps.email, EMAIL))
    .prepare()
  const selectMails = queries
    .select({ at: otpMails.sentAt })
    .from(otpMails)
    .where(eq(otpMails.email, EMAIL))
    .orderBy(otpMails.position)
    .prepare()
  const selectWrongTries = queries
    .select({ at: otpWrongTries.triedAt })
    .from(otpWrongTries)
    .where(eq(otpWrongTries.email, EMAIL))
    .orderBy(otpWrongTries.position)
    .prepare()

  return (email) =>
    toOtpRecord({
      otps: selectOtps.all({ email }),
      mails: selectMails.all({ email }),
      wrongTries: selectWrongTries.all({ email }),
    })
}

function prepareSave(queries: Queries): (email: Email, record: OtpRecord) => void {
  const deleteOtps = queries.delete(otps).where(eq(otps.email, EMAIL)).prepare()
  const deleteMails = queries.delete(otpMails).where(eq(otpMails.email, EMAIL)).prepare()
  const deleteWrongTries = queries
    .delete(otpWrongTries)
    .where(eq(otpWrongTries.email, EMAIL))
    .prepare()
  const insertOtp = prepareInsert(queries, otps)
  const insertMail = prepareInsert(queries, otpMails)
  const insertWrongTry = prepareInsert(queries, otpWrongTries)

  return (email, { current, replacement, mailedAt, wrongTriesAt }) => {
    deleteOtps.run({ email })
    if (current) insertOtp({ email, role: 'current', ...current })
    if (replacement) insertOtp({ email, role: 'replacement', ...replacement })

    deleteMails.run({ email })
    mailedAt.forEach((sentAt, position) => {
      insertMail({ email, position, sentAt })
    })

    deleteWrongTries.run({ email })
    wrongTriesAt.forEach((triedAt, position) => {
      insertWrongTry({ email, position, triedAt })
    })
  }
}
