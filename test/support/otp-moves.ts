import type { Counted } from '../../domain/budget.ts'
import { MINUTE_MS } from '../../domain/duration.ts'
import {
  attemptOtp,
  type CountedMailbox,
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
import type { Sender } from '../../domain/sender.ts'
import { NOON } from './fakes.ts'
import { stranger } from './senders.ts'

export const LIFETIME_MS = 10 * MINUTE_MS
export const WRONG = parseOtpCode('999999')

/** A moment so many milliseconds after `NOON`. */
export const at = (milliseconds: number) => new Date(NOON.getTime() + milliseconds)
/** Codes that are their own seeds. */
export const codeOf = (otp: Otp) => parseOtpCode(otp.seed)

let strangers = 0
/** A stranger from a network of their own, so that only the limits of all strangers together are reached. */
export const anyStranger = () => stranger(strangers++)

type HasKey = (otp: Otp) => boolean
export const hasEveryKey: HasKey = () => true
/** What a service knows that has the key of all codes but these. */
export const hasNoKeyOf =
  (...seeds: string[]): HasKey =>
  ({ seed }) =>
    !seeds.includes(seed)

type Way = {
  readonly sender?: Sender
  readonly mailbox?: CountedMailbox | null
  readonly hasKey?: HasKey
}

/** A mail that is on its way. */
export function issue(
  record: OtpRecord,
  seed: string,
  now: Date,
  { sender = anyStranger(), mailbox = null, hasKey = hasEveryKey }: Way = {},
) {
  const terms = {
    freshSeed: seed as OtpSeed,
    hasKey,
    lifetimeMs: LIFETIME_MS,
    sender,
    mailbox,
    now,
  }
  return issueOtp(record, terms)
}

/** A mail that goes out. */
export function mail(record: OtpRecord, seed: string, now: Date, way: Way = {}) {
  const { record: reserved, otp } = issue(record, seed, now, way)
  return { record: confirmMailed(reserved, otp), otp }
}

/** A mail that cannot be sent. */
export function loseMail(
  record: OtpRecord,
  seed: string,
  now: Date,
  { mayArrive = true }: { mayArrive?: boolean } = {},
): OtpRecord {
  const { record: reserved, mail: lost, otp } = issue(record, seed, now)
  return releaseMail(reserved, { mail: lost, otp, mayArrive })
}

export function attempt(
  record: OtpRecord,
  code: OtpCode,
  now: Date,
  sender = anyStranger(),
  hasKey = hasEveryKey,
) {
  return attemptOtp(record, { code, hasKey, deriveCode: codeOf, sender, now })
}

/** When each of them happened. */
export const momentsOf = (counted: readonly Counted[]) => counted.map((one) => one.at)

export function tryWrong(record: OtpRecord, times: number, now: Date, sender?: Sender): OtpRecord {
  let next = record
  for (let count = 0; count < times; count++) next = attempt(next, WRONG, now, sender).record
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
