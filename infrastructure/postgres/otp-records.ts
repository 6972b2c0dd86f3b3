import { and, asc, eq, inArray, type Placeholder, sql } from 'drizzle-orm'
import type { Counted } from '../../domain/budget.ts'
import type { CountedMail, Otp, OtpRecord } from '../../domain/otp.ts'
import type { OtpOwner } from '../../domain/sender.ts'
import { changesOf } from '../database/counted-positions.ts'
import { toOtpRecord } from '../database/rows.ts'
import type { Queries, Transaction } from './connection/database.ts'
import { insert, prepared, upsert } from './prepared.ts'
import { otpMails, otps, otpWrongTries } from './schema.ts'

const ROLES = ['current', 'replacement'] as const
type Role = (typeof ROLES)[number]

/** A record, and at which positions its mails and wrong tries are stored. */
export type StoredOtpRecord = {
  readonly record: OtpRecord
  readonly positions: ReadonlyMap<Counted, number>
}

type OwnedTable = typeof otps | typeof otpMails | typeof otpWrongTries

const OWNER = { email: sql.placeholder('email'), sender: sql.placeholder('sender') }

const selectOtps = prepared((queries) => queries.select().from(otps).where(isOf(otps, OWNER)))
const deleteOtp = prepared((queries) =>
  queries.delete(otps).where(and(isOf(otps, OWNER), eq(otps.role, sql.placeholder('role')))),
)
const selectMails = prepared((queries) =>
  queries.select().from(otpMails).where(isOf(otpMails, OWNER)).orderBy(asc(otpMails.position)),
)
const selectWrongTries = prepared((queries) =>
  queries
    .select()
    .from(otpWrongTries)
    .where(isOf(otpWrongTries, OWNER))
    .orderBy(asc(otpWrongTries.position)),
)

/** Several statements: the caller sees to it that they see one moment. */
export async function findOtpRecord(queries: Queries, owner: OtpOwner): Promise<StoredOtpRecord> {
  const [codes, mailRows, tryRows] = await Promise.all([
    selectOtps(queries).execute(owner),
    selectMails(queries).execute(owner),
    selectWrongTries(queries).execute(owner),
  ])
  const positions = new Map<Counted, number>()
  const mails = mailRows.map(({ position, sentAt, network, mailbox }): CountedMail => {
    const mail = { at: sentAt, network, mailbox }
    positions.set(mail, position)
    return mail
  })
  const wrongTries = tryRows.map(({ position, triedAt, network }): Counted => {
    const wrongTry = { at: triedAt, network }
    positions.set(wrongTry, position)
    return wrongTry
  })
  const record = toOtpRecord({
    otps: codes.map(({ role, seed, issuedAt, expiresAt, attemptsLeft }) => ({
      role,
      otp: { seed, issuedAt, expiresAt, attemptsLeft },
    })),
    mails,
    wrongTries,
  })
  return { record, positions }
}

/** Stores what differs, and leaves the rows alone that stay as they are. */
export function storeOtpRecord(
  transaction: Transaction,
  owner: OtpOwner,
  { record: before, positions }: StoredOtpRecord,
  after: OtpRecord,
): void {
  const { queries, store } = transaction
  for (const role of ROLES) {
    if (after[role] !== before[role]) storeOtp(transaction, owner, role, after[role])
  }

  const mails = changesOf(before.mails, after.mails, positions)
  if (mails.deleted.length > 0) {
    const isDeleted = inArray(otpMails.position, [...mails.deleted])
    store(queries.delete(otpMails).where(and(isOf(otpMails, owner), isDeleted)))
  }
  const { email, sender } = owner
  for (const { position, one } of mails.inserted) {
    const { at: sentAt, network, mailbox } = one
    store(insert(queries, otpMails, { email, sender, position, sentAt, network, mailbox }))
  }

  const wrongTries = changesOf(before.wrongTries, after.wrongTries, positions)
  if (wrongTries.deleted.length > 0) {
    const isDeleted = inArray(otpWrongTries.position, [...wrongTries.deleted])
    store(queries.delete(otpWrongTries).where(and(isOf(otpWrongTries, owner), isDeleted)))
  }
  for (const { position, one } of wrongTries.inserted) {
    const { at: triedAt, network } = one
    store(insert(queries, otpWrongTries, { email, sender, position, triedAt, network }))
  }
}

function storeOtp(
  { queries, store }: Transaction,
  { email, sender }: OtpOwner,
  role: Role,
  otp: Otp | null,
): void {
  const key = [otps.email, otps.sender, otps.role]
  if (otp) store(upsert(queries, otps, key, { email, sender, role, ...otp }))
  else store(deleteOtp(queries).execute({ email, sender, role }))
}

function isOf(
  table: OwnedTable,
  { email, sender }: OtpOwner | Record<keyof OtpOwner, Placeholder>,
) {
  return and(eq(table.email, email), eq(table.sender, sender))
}
