import { MINUTE_MS } from '../../domain/duration.ts'
import {
  attemptOtp,
  confirmMailed,
  EMPTY_OTP_RECORD,
  issueOtp,
  type Otp,
  type OtpCode,
  type OtpRecord,
  type OtpSeed,
  parseOtpCode,
  releaseMail,
} from '../../domain/otp.ts'
import { NOON } from './fakes.ts'

export const LIFETIME_MS = 10 * MINUTE_MS
export const WRONG = parseOtpCode('999999')

/** A moment so many milliseconds after `NOON`. */
export const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)
/** Codes that are their own seeds. */
export const codeOf = (otp: Otp) => parseOtpCode(otp.seed)

/** A mail that is on its way. */
export function issue(record: OtpRecord, seed: string, now: Date) {
  return issueOtp(record, { freshSeed: seed as OtpSeed, lifetimeMs: LIFETIME_MS, now })
}

/** A mail that goes out. */
export function mail(record: OtpRecord, seed: string, now: Date) {
  const { record: reserved, otp } = issue(record, seed, now)
  return { record: confirmMailed(reserved, otp), otp }
}

/** A mail that cannot be sent. */
export function loseMail(record: OtpRecord, seed: string, now: Date): OtpRecord {
  return releaseMail(issue(record, seed, now).record, now)
}

export function attempt(record: OtpRecord, code: OtpCode, now: Date) {
  return attemptOtp(record, { code, deriveCode: codeOf, now })
}

export function tryWrong(record: OtpRecord, times: number, now: Date): OtpRecord {
  let next = record
  for (let count = 0; count < times; count++) next = attempt(next, WRONG, now).record
  return next
}

export const isRight = (record: OtpRecord, code: OtpCode, now: Date) =>
  attempt(record, code, now).outcome === 'right'

/** What an action throws, or what it returns. */
export function refusal(action: () => unknown): unknown {
  try {
    return action()
  } catch (error) {
    return error
  }
}

export const first = parseOtpCode('000001')
export const second = parseOtpCode('000002')
/** An address that has been mailed its first code at noon. */
export const fresh = mail(EMPTY_OTP_RECORD, '000001', NOON)
