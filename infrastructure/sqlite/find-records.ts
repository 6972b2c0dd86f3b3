import { eq, sql } from 'drizzle-orm'
import type { PersonalRecords } from '../../application/store.ts'
import type { Email } from '../../domain/email.ts'
import type { Epoch } from '../../domain/log-out.ts'
import type { Otp } from '../../domain/otp.ts'
import { SENDER_KINDS } from '../../domain/sender.ts'
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
    const { verification, purchases, refunds, disputes } = findAccount(email)
    const records = SENDER_KINDS.map((sender) => ({
      sender,
      ...findOtpRecord({ email, sender }).record,
    }))
    return {
      codes: records.flatMap(({ sender, current, replacement }) =>
        [current, replacement]
          .filter((otp) => otp !== null)
          .map((otp) => ({ ...withoutSeed(otp), sender })),
      ),
      codeMails: records.flatMap(({ sender, mails }) =>
        mails.map(({ at, network }) => ({ at, network, sender })),
      ),
      wrongTries: records.flatMap(({ sender, wrongTries }) =>
        wrongTries.map((counted) => ({ ...counted, sender })),
      ),
      verification: verification && {
        email: verification.email,
        verifiedAt: verification.verifiedAt,
        expiresAt: verification.expiresAt,
      },
      logOutLineAt: toMoment(selectLogOut.get({ email })?.epoch),
      purchases,
      grants: findGrants(email),
      refunds,
      disputes,
      messages: selectMessages.all({ email }).map(toMessage),
      audit: findEntries(email),
      sandboxSessions: selectSandboxSessions.all({ email }).map(toSandboxSession),
    }
  }
}

function toMoment(epoch: Epoch | undefined): Date | null {
  return epoch === undefined ? null : new Date(epoch)
}

/** The seed of a code is a secret of the service, and no data of the address. */
function withoutSeed({ issuedAt, expiresAt, attemptsLeft }: Otp): Omit<Otp, 'seed'> {
  return { issuedAt, expiresAt, attemptsLeft }
}
