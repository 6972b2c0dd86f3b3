import { isFromFuture } from './clock-skew.ts'
import type { CodeChallenge } from './code-challenge.ts'
import { equalInConstantTime } from './constant-time.ts'
import type { Email } from './email.ts'
import { type Epoch, FIRST_EPOCH, isLoggedOut } from './log-out.ts'

/** A visitor has proved, with a code, that the address is theirs. */
export type Verification = {
  readonly email: Email
  readonly verifiedAt: Date
  readonly expiresAt: Date
  /** The browser that proved the address can log in by this. Null where the browser gave none. */
  readonly codeChallenge: CodeChallenge | null
  /** In which it was made, so that a later log-out everywhere ends that way in. */
  readonly epoch: Epoch
}

export function newVerification(
  email: Email,
  {
    codeChallenge = null,
    epoch = FIRST_EPOCH,
    lifetimeMs,
    now,
  }: { codeChallenge?: CodeChallenge | null; epoch?: Epoch; lifetimeMs: number; now: Date },
): Verification {
  const expiresAt = new Date(now.getTime() + lifetimeMs)
  return { email, verifiedAt: now, expiresAt, codeChallenge, epoch }
}

/** False also where the clock was ahead when the address was verified. */
export function isVerified(
  verification: Pick<Verification, 'verifiedAt' | 'expiresAt'> | null,
  now: Date,
): boolean {
  if (verification === null) return false
  return now < verification.expiresAt && !isFromFuture(verification.verifiedAt, now)
}

/**
 * Whether the browser with the verifier to `codeChallenge` is the one that proved the address. False once the address
 * has logged out everywhere, for which `loggedOutIn` is the epoch of the latest log-out.
 */
export function isProvenBy(
  verification: Verification | null,
  {
    codeChallenge,
    loggedOutIn,
    now,
  }: { codeChallenge: CodeChallenge; loggedOutIn: Epoch | null; now: Date },
): boolean {
  if (verification === null || verification.codeChallenge === null) return false
  return (
    isVerified(verification, now) &&
    equalInConstantTime(verification.codeChallenge, codeChallenge) &&
    !isLoggedOut(verification.epoch, loggedOutIn)
  )
}

// Why: docs/decisions.md#only-the-browser-that-proved-an-address-can-pay-for-it
/**
 * Whether the address may be paid for by whoever brings `codeChallenge`: the browser that proved the address. Anyone
 * may where that browser gave no challenge.
 */
export function allowsCheckout(
  verification: Verification | null,
  { codeChallenge, now }: { codeChallenge: CodeChallenge | null; now: Date },
): boolean {
  if (verification === null || !isVerified(verification, now)) return false
  if (verification.codeChallenge === null) return true
  return codeChallenge !== null && equalInConstantTime(verification.codeChallenge, codeChallenge)
}
