import type { CodeChallenge } from './code-challenge.ts'
import { sameText } from './constant-time.ts'
import type { Email } from './email.ts'
import { isLoggedOut } from './log-out.ts'

/** A visitor has proved, with a code, that the address is theirs. */
export type Verification = {
  readonly email: Email
  readonly verifiedAt: Date
  readonly expiresAt: Date
  /** By which the browser that proved it can log in; null where it gave none. */
  readonly codeChallenge: CodeChallenge | null
}

export function verifyEmail(
  email: Email,
  {
    codeChallenge = null,
    lifetimeMs,
    now,
  }: { codeChallenge?: CodeChallenge | null; lifetimeMs: number; now: Date },
): Verification {
  const expiresAt = new Date(now.getTime() + lifetimeMs)
  return { email, verifiedAt: now, expiresAt, codeChallenge }
}

export function isVerified(
  verification: Pick<Verification, 'expiresAt'> | null,
  now: Date,
): boolean {
  return verification !== null && now < verification.expiresAt
}

/**
 * Whether whoever has the verifier to `codeChallenge` is the browser that proved the address. It no longer is once the
 * address has logged out everywhere, be it in the same millisecond; `lineAt` is the line that the latest log-out drew.
 */
export function isProvenBy(
  verification: Verification | null,
  { codeChallenge, lineAt, now }: { codeChallenge: CodeChallenge; lineAt: Date | null; now: Date },
): boolean {
  if (verification === null || verification.codeChallenge === null) return false
  return (
    isVerified(verification, now) &&
    sameText(verification.codeChallenge, codeChallenge) &&
    !isLoggedOut(verification.verifiedAt, lineAt)
  )
}
