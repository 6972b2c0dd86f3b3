import type { Counted } from '../../domain/budget.ts'
import type { Email } from '../../domain/email.ts'
import type { CountedMail, Otp, OtpRecord } from '../../domain/otp.ts'
import type { OtpOwner } from '../../domain/sender.ts'
import { changesOf } from '../database/counted-positions.ts'
import { toOtpRecord } from '../database/rows.ts'
import type { Queries } from './database.ts'

const ROLES = ['current', 'replacement'] as const

/** A record, and at which positions its mails and wrong tries are stored. */
export type StoredOtpRecord = {
  readonly record: OtpRecord
  readonly positions: ReadonlyMap<Counted, number>
}

type Owner = [email: Email, sender: OtpOwner['sender']]
type OtpRow = Omit<Otp, 'issuedAt' | 'expiresAt'> & {
  readonly role: (typeof ROLES)[number]
  readonly issuedAt: number
  readonly expiresAt: number
}
type CountedRow = Omit<Counted, 'at'> & { readonly position: number; readonly at: number }
type MailRow = CountedRow & Pick<CountedMail, 'mailbox'>

/** Several statements: the caller sees to it that they see one moment. */
export function prepareFindOtpRecord({
  $client: client,
}: Queries): (owner: OtpOwner) => StoredOtpRecord {
  const selectOtps = client.prepare<OtpRow, Owner>(
    `SELECT role, seed, issued_at AS issuedAt, expires_at AS expiresAt, attempts_left AS attemptsLeft
      FROM otps WHERE email = ?1 AND sender = ?2`,
  )
  const selectMails = client.prepare<MailRow, Owner>(
    `SELECT position, sent_at AS at, network, mailbox FROM otp_mails WHERE email = ?1 AND sender = ?2`,
  )
  const selectWrongTries = client.prepare<CountedRow, Owner>(
    `SELECT position, tried_at AS at, network FROM otp_wrong_tries WHERE email = ?1 AND sender = ?2`,
  )

  return ({ email, sender }) => {
    const positions = new Map<Counted, number>()
    const mails = selectMails.all(email, sender).sort(byPosition).map(toMail)
    const wrongTries = selectWrongTries.all(email, sender).sort(byPosition).map(toWrongTry)
    const record = toOtpRecord({
      otps: selectOtps.all(email, sender).map(toOtp),
      mails,
      wrongTries,
    })

    function toMail({ position, at, network, mailbox }: MailRow): CountedMail {
      const mail = { at: new Date(at), network, mailbox }
      positions.set(mail, position)
      return mail
    }

    function toWrongTry({ position, at, network }: CountedRow): Counted {
      const wrongTry = { at: new Date(at), network }
      positions.set(wrongTry, position)
      return wrongTry
    }

    return { record, positions }
  }
}

function toOtp({ role, seed, issuedAt, expiresAt, attemptsLeft }: OtpRow) {
  const otp = { seed, issuedAt: new Date(issuedAt), expiresAt: new Date(expiresAt), attemptsLeft }
  return { role, otp }
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
  const insertMail = queries.$client.prepare(
    `INSERT INTO otp_mails (email, sender, position, sent_at, network, mailbox)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  )
  const insertWrongTry = queries.$client.prepare(
    `INSERT INTO otp_wrong_tries (email, sender, position, tried_at, network)
      VALUES (?1, ?2, ?3, ?4, ?5)`,
  )
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
      insertMail.run(email, sender, position, one.at.getTime(), one.network, one.mailbox)
    }

    const wrongTries = changesOf(before.wrongTries, after.wrongTries, positions)
    for (const position of wrongTries.deleted) deleteWrongTry.run(email, sender, position)
    for (const { position, one } of wrongTries.inserted) {
      insertWrongTry.run(email, sender, position, one.at.getTime(), one.network)
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
