import { eq, sql } from 'drizzle-orm'
import type { PersonalRecords } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { Epoch } from '../../domain/log-out.ts'
import { SENDER_KINDS } from '../../domain/sender.ts'
import { toAccountRecords, toCodeRecords } from '../database/personal-records.ts'
import { toMessage, toSandboxSession } from '../database/rows.ts'
import { prepareFindEntries } from './audit-trail.ts'
import type { Queries } from './database.ts'
import { prepareFindDatedGrants } from './dated-grants.ts'
import { prepareFindAccount } from './find-account.ts'
import { prepareFindOtpRecord } from './otp-records.ts'
import { logOuts, outbox, sandboxSessions } from './schema.ts'

const EMAIL = sql.placeholder('email')

/** Several statements: the caller sees to it that they see one moment. */
export function prepareFindRecords(queries: Queries): (email: Email) => PersonalRecords {
  const findAccount = prepareFindAccount(queries)
  const findGrants = prepareFindDatedGrants(queries)
  const findEntries = prepareFindEntries(queries)
  const findOtpRecord = prepareFindOtpRecord(queries)
  const selectLogOut = queries.select().from(logOuts).where(eq(logOuts.email, EMAIL)).prepare()
  const selectMessages = queries
    .select()
    .from(outbox)
    .where(eq(outbox.email, EMAIL))
    .orderBy(outbox.createdAt, outbox.key)
    .prepare()
  const selectSandboxSessions = queries
    .select()
    .from(sandboxSessions)
    .where(eq(sandboxSessions.customerEmail, EMAIL))
    .orderBy(sandboxSessions.createdAt, sandboxSessions.sessionId)
    .prepare()

  return (email) => {
    const records = SENDER_KINDS.map((sender) => ({
      sender,
      record: findOtpRecord({ email, sender }).record,
    }))
    return {
      ...toCodeRecords(records),
      ...toAccountRecords(findAccount(email)),
      logOutLineAt: toMoment(selectLogOut.get({ email })?.epoch),
      grants: findGrants(email),
      messages: selectMessages.all({ email }).map(toMessage),
      audit: findEntries(email),
      sandboxSessions: selectSandboxSessions.all({ email }).map(toSandboxSession),
    }
  }
}

function toMoment(epoch: Epoch | undefined): Date | null {
  return epoch === undefined ? null : new Date(epoch)
}
