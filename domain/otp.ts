import type { Brand } from './brand.ts'
import { type Counted, halfOf, type Limit, latest, refusedUntil, within } from './budget.ts'
import type { ClientNetwork } from './client-network.ts'
import { isFromFuture } from './clock-skew.ts'
import { equalInConstantTime } from './constant-time.ts'
import { DAY_MS, MINUTE_MS } from './duration.ts'
import { DomainError } from './errors.ts'
import type { MailboxDigest } from './mailbox.ts'
import type { Sender } from './sender.ts'

/** What the user types: six digits, leading zeros included. */
export type OtpCode = Brand<string, 'OtpCode'>

// Why: docs/decisions.md#codes-are-derived-not-stored
/** What a code is derived from with a secret key, which it names; worthless without that key. */
export type OtpSeed = Brand<string, 'OtpSeed'>

/**
 * One code that was issued. Its digits follow from the seed and the secret key; the state alone does not reveal them.
 * It has its key where that one is known, which ends for old codes when the secret is rolled.
 */
export type Otp = {
  readonly seed: OtpSeed
  readonly issuedAt: Date
  readonly expiresAt: Date
  readonly attemptsLeft: number
}

/** A mail that counts for its address and, unless a holder asked for it, for the mailbox as well. */
export type CountedMail = Counted & { readonly mailbox: MailboxDigest | null }

/**
 * All that is remembered about the codes of one owner. `current` is the code that counts. `replacement` was sent, and
 * its delivery is not known yet: a mail that cannot be sent does not take away the code that the user already has.
 */
export type OtpRecord = {
  readonly current: Otp | null
  readonly replacement: Otp | null
  readonly mails: readonly CountedMail[]
  readonly wrongTries: readonly Counted[]
}

export const EMPTY_OTP_RECORD: OtpRecord = {
  current: null,
  replacement: null,
  mails: [],
  wrongTries: [],
}

export const CODE_LENGTH = 6
const CODE = new RegExp(`^[0-9]{${CODE_LENGTH}}$`)

export const ATTEMPTS_MAX = 5
export const WRONG_TRIES_A_DAY: Limit = { max: 40, windowMs: DAY_MS }
export const MAILS_A_DAY: Limit = { max: 20, windowMs: DAY_MS }
const MAIL_LIMITS: readonly Limit[] = [{ max: 5, windowMs: 15 * MINUTE_MS }, MAILS_A_DAY]

// An older code may have been mailed, and its mail given back since.
const NEW_MS = MINUTE_MS

// Room for generous spacing, and cheap to refuse.
const INPUT_LENGTH_MAX = 64
const DECIMAL_DIGIT = /^\p{Nd}$/u

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

/** The mailbox of a stranger's mail, and the mails that count for it already. */
export type CountedMailbox = {
  readonly digest: MailboxDigest
  readonly mails: readonly Counted[]
}

/**
 * Reserves a mail and says which code it carries: the one that lives, while it has at least half its life left,
 * else a new one made from `freshSeed`. A code without its key counts as none: its digits could not be mailed again.
 * Throws `too_many_mails` with the moment at which the next one is allowed. The mailbox is null for a holder's mail.
 */
export function issueOtp(
  record: OtpRecord,
  {
    freshSeed,
    hasKey,
    lifetimeMs,
    sender,
    mailbox,
    now,
  }: {
    freshSeed: OtpSeed
    hasKey: (otp: Otp) => boolean
    lifetimeMs: number
    sender: Sender
    mailbox: CountedMailbox | null
    now: Date
  },
): { record: OtpRecord; otp: Otp; mail: CountedMail } {
  const retryAt = latest([
    endOfRefusal(record.mails, MAIL_LIMITS, { sender, now }),
    mailbox && endOfRefusal(mailbox.mails, MAIL_LIMITS, { sender, now }),
  ])
  if (retryAt) throw new DomainError('too_many_mails', retryAt)

  const mail = { at: now, network: networkOf(sender), mailbox: mailbox?.digest ?? null }
  const reserved: OtpRecord = {
    ...promoteReplacement(record, now),
    mails: [...within(record.mails, DAY_MS, now), mail],
    wrongTries: within(record.wrongTries, DAY_MS, now),
  }
  const reusable = [reserved.replacement, reserved.current].find(
    (otp) => isInFirstHalf(otp, now) && hasKey(otp),
  )
  if (reusable) return { record: reserved, otp: reusable, mail }

  const otp: Otp = {
    seed: freshSeed,
    issuedAt: now,
    expiresAt: new Date(now.getTime() + lifetimeMs),
    attemptsLeft: ATTEMPTS_MAX,
  }
  return isOtpLive(reserved.current, now) && hasKey(reserved.current)
    ? { record: { ...reserved, replacement: otp }, otp, mail }
    : { record: { ...reserved, current: otp, replacement: null }, otp, mail }
}

/** The mail with this code went out: from now on it is the code that counts. */
export function confirmMailed(record: OtpRecord, { seed }: Otp): OtpRecord {
  if (record.replacement?.seed !== seed) return record
  return { ...record, current: record.replacement, replacement: null }
}

/**
 * The mail could not be sent, so it does not count; the code that lives stays usable. Of an address of which nothing
 * else is known, nothing stays: its new code goes as well, since no other mail with it counts, unless this mail may
 * still arrive.
 */
export function releaseMail(
  record: OtpRecord,
  { mail, otp, mayArrive }: { mail: CountedMail; otp: Otp; mayArrive: boolean },
): OtpRecord {
  const index = record.mails.findIndex(
    ({ at, network }) => at.getTime() === mail.at.getTime() && network === mail.network,
  )
  const released = { ...record, mails: record.mails.filter((_, position) => position !== index) }
  const isKnown = released.mails.length > 0 || released.wrongTries.length > 0
  const isNew = mail.at.getTime() - otp.issuedAt.getTime() <= NEW_MS
  return isKnown || mayArrive || !isNew ? released : withoutCode(released, otp)
}

function withoutCode(record: OtpRecord, { seed }: Otp): OtpRecord {
  const unlessIt = (otp: Otp | null) => (otp?.seed === seed ? null : otp)
  return {
    ...record,
    current: unlessIt(record.current),
    replacement: unlessIt(record.replacement),
  }
}

export type OtpAttempt = {
  readonly record: OtpRecord
  /** `last_wrong` has burned the code; `no_code` is a try while none lives. */
  readonly outcome: 'right' | 'wrong' | 'last_wrong' | 'no_code'
}

/**
 * Spends a try. A right code uses the otp up, a wrong one costs an attempt, and the last wrong one burns it; where
 * no code lives, or none that has its key, nothing is counted. Throws `too_many_wrong_codes` after 40 wrong tries
 * within 24 hours, and to a client network after 20 of its own.
 */
export function attemptOtp(
  record: OtpRecord,
  {
    code,
    hasKey,
    deriveCode,
    sender,
    now,
  }: {
    code: OtpCode
    hasKey: (otp: Otp) => boolean
    deriveCode: (otp: Otp) => OtpCode
    sender: Sender
    now: Date
  },
): OtpAttempt {
  const retryAt = endOfRefusal(record.wrongTries, [WRONG_TRIES_A_DAY], { sender, now })
  if (retryAt) throw new DomainError('too_many_wrong_codes', retryAt)

  const counting = promoteReplacement(record, now)
  const otp = counting.current
  if (!isOtpLive(otp, now) || !hasKey(otp)) return { record, outcome: 'no_code' }

  if (equalInConstantTime(deriveCode(otp), code)) {
    return { record: { ...counting, current: null, replacement: null }, outcome: 'right' }
  }

  const attemptsLeft = otp.attemptsLeft - 1
  const current = attemptsLeft > 0 ? { ...otp, attemptsLeft } : null
  const counted = { at: now, network: networkOf(sender) }
  return {
    record: {
      ...counting,
      current,
      wrongTries: [...within(record.wrongTries, DAY_MS, now), counted],
    },
    outcome: current ? 'wrong' : 'last_wrong',
  }
}

/** Gives all mails and wrong tries back, and says how many of them counted. A valid code stays as it is. */
export function forgetCounted(
  record: OtpRecord,
  now: Date,
): { record: OtpRecord; mails: number; wrongTries: number } {
  const isNothing = record.mails.length === 0 && record.wrongTries.length === 0
  return {
    record: isNothing ? record : { ...record, mails: [], wrongTries: [] },
    mails: within(record.mails, DAY_MS, now).length,
    wrongTries: within(record.wrongTries, DAY_MS, now).length,
  }
}

/** Those mails or wrong tries that a limit still counts. */
export function ofTheLastDay<One extends Counted>(counted: readonly One[], now: Date): One[] {
  return within(counted, DAY_MS, now)
}

/** When these limits, and a stranger's network's half of those for a day, allow one more; null where they do now. */
function endOfRefusal(
  counted: readonly Counted[],
  limits: readonly Limit[],
  { sender, now }: { sender: Sender; now: Date },
): Date | null {
  const ofAll = refusedUntil(counted, limits, now)
  if (sender.kind === 'holder') return ofAll
  const ofNetwork = counted.filter(({ network }) => network === sender.network)
  const halves = limits.filter(({ windowMs }) => windowMs === DAY_MS).map(halfOf)
  return latest([ofAll, refusedUntil(ofNetwork, halves, now)])
}

function networkOf(sender: Sender): ClientNetwork | null {
  return sender.kind === 'stranger' ? sender.network : null
}

/** A replacement counts only once the code before it has run out, so that two codes are never right at once. */
function promoteReplacement(record: OtpRecord, now: Date): OtpRecord {
  if (isOtpLive(record.current, now)) return record
  return { ...record, current: record.replacement, replacement: null }
}

/** A code from the future does not live: its lifetime would only begin there. */
export function isOtpLive<One extends Pick<Otp, 'issuedAt' | 'expiresAt'>>(
  otp: One | null,
  now: Date,
): otp is One {
  return otp !== null && now < otp.expiresAt && !isFromFuture(otp.issuedAt, now)
}

function isInFirstHalf(otp: Otp | null, now: Date): otp is Otp {
  if (!isOtpLive(otp, now)) return false
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
