import { and, eq, sql } from 'drizzle-orm'
import type { Counted } from '../../domain/budget.ts'
import type { Otp, OtpRecord } from '../../domain/otp.ts'
import type { OtpOwner } from '../../domain/sender.ts'
import { toOtpRecord } from '../database/rows.ts'
import type { Queries } from './database.ts'
import { prepareInsert } from './prepared-writes.ts'
import { otpMails, otps, otpWrongTries } from './schema.ts'

const EMAIL = sql.placeholder('email')
const SENDER = sql.placeholder('sender')
const ROLES = ['current', 'replacement'] as const

/** A record, and at which positions its mails and wrong tries are stored. */
export type StoredOtpRecord = {
  readonly record: OtpRecord
  readonly positions: ReadonlyMap<Counted, number>
}

/** Several statements: the caller sees to it that they see one moment. */
export function prepareFindOtpRecord(queries: Queries): (owner: OtpOwner) => StoredOtpRecord {
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
    .select({
      position: otpMails.position,
      mail: { at: otpMails.sentAt, network: otpMails.network, mailbox: otpMails.mailbox },
    })
    .from(otpMails)
    .where(and(eq(otpMails.email, EMAIL), eq(otpMails.sender, SENDER)))
    .prepare()
  const selectWrongTries = queries
    .select({
      position: otpWrongTries.position,
      wrongTry: { at: otpWrongTries.triedAt, network: otpWrongTries.network },
    })
    .from(otpWrongTries)
    .where(and(eq(otpWrongTries.email, EMAIL), eq(otpWrongTries.sender, SENDER)))
    .prepare()

  return (owner) => {
    const mails = selectMails.all(owner).sort(byPosition)
    const wrongTries = selectWrongTries.all(owner).sort(byPosition)
    const record = toOtpRecord({
      otps: selectOtps.all(owner),
      mails: mails.map(({ mail }) => mail),
      wrongTries: wrongTries.map(({ wrongTry }) => wrongTry),
    })
    const positions = new Map<Counted, number>([
      ...mails.map(({ mail, position }) => [mail, position] as const),
      ...wrongTries.map(({ wrongTry, position }) => [wrongTry, position] as const),
    ])
    return { record, positions }
  }
}

type Placed = { readonly position: number }

/**
 * Here rather than in SQL: SQLite compiles a statement that compares with bound values and sorts anew at every run,
 * which takes ten times as long as to read the rows.
 */
function byPosition(left: Placed, right: Placed): number {
  return left.position - right.position
}

/** For use inside a write: stores what differs, and leaves the rows alone that stay as they are. */
export function prepareSaveOtpRecord(
  queries: Queries,
): (owner: OtpOwner, known: StoredOtpRecord, record: OtpRecord) => void {
  const saveOtp = prepareSaveOtp(queries)
  const insertMail = prepareInsert(queries, otpMails)
  const insertWrongTry = prepareInsert(queries, otpWrongTries)
  const prepareDelete = (table: string) =>
    queries.$client.prepare(
      `DELETE FROM ${table} WHERE email = ?1 AND sender = ?2 AND position = ?3`,
    )
  const deleteMail = prepareDelete('otp_mails')
  const deleteWrongTry = prepareDelete('otp_wrong_tries')

  return ({ email, sender }, { record: before, positions }, after) => {
    const owner = { email, sender }
    for (const role of ROLES) if (before[role] !== after[role]) saveOtp(owner, role, after[role])

    const mails = changesOf(before.mails, after.mails, positions)
    for (const position of mails.deleted) deleteMail.run(email, sender, position)
    for (const { position, one } of mails.inserted) {
      const { at, network, mailbox } = one
      insertMail({ ...owner, position, sentAt: at, network, mailbox })
    }

    const wrongTries = changesOf(before.wrongTries, after.wrongTries, positions)
    for (const position of wrongTries.deleted) deleteWrongTry.run(email, sender, position)
    for (const { position, one } of wrongTries.inserted) {
      insertWrongTry({ ...owner, position, triedAt: one.at, network: one.network })
    }
  }
}

function prepareSaveOtp(
  queries: Queries,
): (owner: OtpOwner, role: (typeof ROLES)[number], otp: Otp | null) => void {
  const upsert = queries.$client.prepare(
    `INSERT INTO otps (email, sender, role, seed, issued_at, expires_at, attempts_left)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (email, sender, role) DO UPDATE SET seed = excluded.seed, issued_at = excluded.issued_at,
        expires_at = excluded.expires_at, attempts_left = excluded.attempts_left`,
  )
  const deletion = queries.$client.prepare(
    'DELETE FROM otps WHERE email = ?1 AND sender = ?2 AND role = ?3',
  )

  return ({ email, sender }, role, otp) => {
    if (!otp) return void deletion.run(email, sender, role)
    const { seed, issuedAt, expiresAt, attemptsLeft } = otp
    const moments = [issuedAt.getTime(), expiresAt.getTime()] as const
    upsert.run(email, sender, role, seed, ...moments, attemptsLeft)
  }
}

/**
 * Which positions of a list go, and what comes at which. Those that stay keep their positions, so that these have gaps;
 * whatever stands behind a new one comes anew.
 */
function changesOf<One extends Counted>(
  before: readonly One[],
  after: readonly One[],
  positions: ReadonlyMap<Counted, number>,
): {
  readonly deleted: readonly number[]
  readonly inserted: readonly { position: number; one: One }[]
} {
  const kept = new Set<number>()
  const inserted: { position: number; one: One }[] = []
  let last = -1
  for (const one of after) {
    const known = positions.get(one) ?? -1
    const stays = inserted.length === 0 && known > last
    last = stays ? known : last + 1
    if (stays) kept.add(known)
    else inserted.push({ position: last, one })
  }
  const deleted = before.map((one) => positions.get(one) ?? -1).filter((one) => !kept.has(one))
  return { deleted, inserted }
}
