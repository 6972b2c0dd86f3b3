import type { Brand } from './brand.ts'
import { equalInConstantTime } from './constant-time.ts'
import { DAY_MS, MINUTE_MS } from './duration.ts'
import { DomainError } from './errors.ts'

/** What the user types: six digits, leading zeros included. */
export type OtpCode = Brand<string, 'OtpCode'>

// Why: docs/decisions.md#codes-are-derived-not-stored
/** What a code is derived from with a secret key; worthless without that key. */
export type OtpSeed = Brand<string, 'OtpSeed'>

/**
 * One code that was issued. Its digits follow from the seed and the secret key; the state alone does not reveal them.
 */
export type Otp = {
  readonly seed: OtpSeed
  readonly issuedAt: Date
  readonly expiresAt: Date
  readonly attemptsLeft: number
}

/**
 * All that is remembered about the codes of one address. `current` is the code that counts. `replacement` was sent, and
 * its delivery is not known yet: a mail that cannot be sent does not take away the code that the user already has.
 */
export type OtpRecord = {
  readonly current: Otp | null
  readonly replacement: Otp | null
  readonly mailedAt: readonly Date[]
  readonly wrongTriesAt: readonly Date[]
}

export const EMPTY_OTP_RECORD: OtpRecord = {
  current: null,
  replacement: null,
  mailedAt: [],
  wrongTriesAt: [],
}

export const CODE_LENGTH = 6
const CODE = new RegExp(`^[0-9]{${CODE_LENGTH}}$`)

export const ATTEMPTS_MAX = 5
const WRONG_TRIES_A_DAY_MAX = 40

// Room for generous spacing, and cheap to refuse.
const INPUT_LENGTH_MAX = 64
const DECIMAL_DIGIT = /^\p{Nd}$/u

const MAIL_LIMITS = [
  { mailsMax: 5, windowMs: 15 * MINUTE_MS },
  { mailsMax: 20, windowMs: DAY_MS },
] as const

/** Reads a code as a person means it: digits of any script, with spaces and dashes. Throws `invalid_code`. */
export function parseOtpCode(input: string): OtpCode {
  const typed = input.length > INPUT_LENGTH_MAX ? '' : input.normalize('NFKC')
  const code = Array.from(typed.replace(/[\s\p{Cf}\p{Dash}]/gu, ''), digitOf).join('')
  if (!CODE.test(code)) throw new DomainError('invalid_code')
  return code as OtpCode
}

/**
 * The ASCII digit of a decimal digit. Unicode encodes each script's digits as ten code points in a row, zero first
 * (the Unicode Standard, section 4.6); where two scripts touch, the row is twice as long.
 */
function digitOf(character: string): string {
  if (!DECIMAL_DIGIT.test(character)) return character
  const codePoint = character.codePointAt(0) ?? 0
  let zero = codePoint
  while (DECIMAL_DIGIT.test(String.fromCodePoint(zero - 1))) zero--
  return String((codePoint - zero) % 10)
}

/**
 * Reserves a mail and says which code it carries: the one that lives, while it has at least half its life left,
 * else a new one made from `freshSeed`. Throws `too_many_mails` with the moment at which the next one is allowed.
 */
export function issueOtp(
  record: OtpRecord,
  { freshSeed, lifetimeMs, now }: { freshSeed: OtpSeed; lifetimeMs: number; now: Date },
): { record: OtpRecord; otp: Otp } {
  const mailedAt = within(record.mailedAt, DAY_MS, now)
  const retryAt = nextMailAt(mailedAt, now)
  if (retryAt) throw new DomainError('too_many_mails', retryAt)

  const reserved: OtpRecord = {
    ...promoteReplacement(record, now),
    mailedAt: [...mailedAt, now],
    wrongTriesAt: within(record.wrongTriesAt, DAY_MS, now),
  }
  const reusable = [reserved.replacement, reserved.current].find((otp) => isInFirstHalf(otp, now))
  if (reusable) return { record: reserved, otp: reusable }

  const otp: Otp = {
    seed: freshSeed,
    issuedAt: now,
    expiresAt: new Date(now.getTime() + lifetimeMs),
    attemptsLeft: ATTEMPTS_MAX,
  }
  return isLive(reserved.current, now)
    ? { record: { ...reserved, replacement: otp }, otp }
    : { record: { ...reserved, current: otp, replacement: null }, otp }
}

/** The mail with this code went out: from now on it is the code that counts. */
export function confirmMailed(record: OtpRecord, { seed }: Otp): OtpRecord {
  if (record.replacement?.seed !== seed) return record
  return { ...record, current: record.replacement, replacement: null }
}

/** The mail reserved at `reservedAt` could not be sent, so it does not count; the code that lives stays usable. */
export function releaseMail(record: OtpRecord, reservedAt: Date): OtpRecord {
  const index = record.mailedAt.findIndex((at) => at.getTime() === reservedAt.getTime())
  return { ...record, mailedAt: record.mailedAt.filter((_, position) => position !== index) }
}

export type OtpAttempt = {
  readonly record: OtpRecord
  /** `last_wrong` has burned the code; `no_code` is a try while none lives. */
  readonly outcome: 'right' | 'wrong' | 'last_wrong' | 'no_code'
}

/**
 * Spends a try. A right code uses the otp up, a wrong one costs an attempt, and the last wrong one burns it; where
 * no code lives nothing is counted. Throws `too_many_wrong_codes` after 40 wrong tries within 24 hours.
 */
export function attemptOtp(
  record: OtpRecord,
  { code, deriveCode, now }: { code: OtpCode; deriveCode: (otp: Otp) => OtpCode; now: Date },
): OtpAttempt {
  const wrongTriesAt = within(record.wrongTriesAt, DAY_MS, now)
  const oldestCounted = wrongTriesAt.at(-WRONG_TRIES_A_DAY_MAX)
  if (oldestCounted) {
    throw new DomainError('too_many_wrong_codes', new Date(oldestCounted.getTime() + DAY_MS))
  }

  const counting = promoteReplacement(record, now)
  const otp = counting.current
  if (!otp || !isLive(otp, now)) return { record, outcome: 'no_code' }

  if (equalInConstantTime(deriveCode(otp), code)) {
    return { record: { ...counting, current: null, replacement: null }, outcome: 'right' }
  }

  const attemptsLeft = otp.attemptsLeft - 1
  const current = attemptsLeft > 0 ? { ...otp, attemptsLeft } : null
  return {
    record: { ...counting, current, wrongTriesAt: [...wrongTriesAt, now] },
    outcome: current ? 'wrong' : 'last_wrong',
  }
}

/** Lets the address try again, and says how many wrong tries that takes back. Mails and codes stay as they are. */
export function forgetWrongTries(
  record: OtpRecord,
  now: Date,
): { record: OtpRecord; forgotten: number } {
  const forgotten = within(record.wrongTriesAt, DAY_MS, now).length
  return { record: forgotten === 0 ? record : { ...record, wrongTriesAt: [] }, forgotten }
}

/** A replacement counts only once the code before it has run out, so that two codes are never right at once. */
function promoteReplacement(record: OtpRecord, now: Date): OtpRecord {
  if (isLive(record.current, now)) return record
  return { ...record, current: record.replacement, replacement: null }
}

function isLive(otp: Otp | null, now: Date): boolean {
  return otp !== null && now < otp.expiresAt
}

function isInFirstHalf(otp: Otp | null, now: Date): otp is Otp {
  if (!otp) return false
  const lifetimeMs = otp.expiresAt.getTime() - otp.issuedAt.getTime()
  return isMailedAgain({ ageMs: now.getTime() - otp.issuedAt.getTime(), lifetimeMs })
}

/** Whether another mail carries the same code: as long as it has at least half its life left. */
export function isMailedAgain({
  ageMs,
  lifetimeMs,
}: {
  ageMs: number
  lifetimeMs: number
}): boolean {
  return ageMs <= lifetimeMs / 2
}

/** Null when a mail may go out now. */
function nextMailAt(mailedAt: readonly Date[], now: Date): Date | null {
  const blockedUntil = MAIL_LIMITS.map(({ mailsMax, windowMs }) => {
    const oldestCounted = within(mailedAt, windowMs, now).at(-mailsMax)
    return oldestCounted ? oldestCounted.getTime() + windowMs : 0
  })
  const latest = Math.max(...blockedUntil)
  return latest > 0 ? new Date(latest) : null
}

function within(moments: readonly Date[], windowMs: number, now: Date): Date[] {
  return moments.filter((moment) => moment.getTime() > now.getTime() - windowMs)
}
