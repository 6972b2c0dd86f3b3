import { eq } from 'drizzle-orm'
import type { PersonalRecords } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import { SENDER_KINDS } from '../../domain/sender.ts'
import { toAccountRecords, toCodeRecords } from '../database/personal-records.ts'
import { toMessage, toSandboxSession } from '../database/rows.ts'
import { findEntries } from './audit-trail.ts'
import type { Queries } from './connection/database.ts'
import { findDatedGrants } from './dated-grants.ts'
import { findAccount } from './find-account.ts'
import { findOtpRecord } from './otp-records.ts'
import { logOuts, outbox, sandboxSessions } from './schema.ts'

/** Several statements: the caller sees to it that they see one moment. */
export async function findRecords(queries: Queries, email: Email): Promise<PersonalRecords> {
  const [account, records, grants, audit, [logOut], messages, sessions] = await Promise.all([
    findAccount(queries, email),
    Promise.all(
      SENDER_KINDS.map(async (sender) => ({
        sender,
        record: (await findOtpRecord(queries, { email, sender })).record,
      })),
    ),
    findDatedGrants(queries, email),
    findEntries(queries, email),
    queries.select().from(logOuts).where(eq(logOuts.email, email)),
    queries
      .select()
      .from(outbox)
      .where(eq(outbox.email, email))
      .orderBy(outbox.createdAt, outbox.key),
    queries
      .select()
      .from(sandboxSessions)
      .where(eq(sandboxSessions.customerEmail, email))
      .orderBy(sandboxSessions.createdAt, sandboxSessions.sessionId),
  ])
  return {
    ...toCodeRecords(records),
    ...toAccountRecords(account),
    logOutLineAt: logOut ? new Date(logOut.epoch) : null,
    grants,
    messages: messages.map(toMessage),
    audit,
    sandboxSessions: sessions.map(toSandboxSession),
  }
}
