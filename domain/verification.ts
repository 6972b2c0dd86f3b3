import type { Email } from './email.ts'

/** Someone proved, with a code, that the address is theirs. */
export type Verification = {
  readonly email: Email
  readonly verifiedAt: Date
  readonly expiresAt: Date
}

export function verifyEmail(
  email: Email,
  { lifetimeMs, now }: { lifetimeMs: number; now: Date },
): Verification {
  return { email, verifiedAt: now, expiresAt: new Date(now.getTime() + lifetimeMs) }
}

export function isVerified(verification: Verification | null, now: Date): boolean {
  return verification !== null && now < verification.expiresAt
}
