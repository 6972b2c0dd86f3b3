import { isFromFuture } from './clock-skew.ts'
import { DAY_MS } from './duration.ts'
import type { Email } from './email.ts'
import type { Epoch } from './log-out.ts'

/** What a token of ours says. Nothing in it says whether it still counts. */
export type TokenClaims = {
  readonly email: Email
  /** The clock's time at which it was handed out, in whole seconds. */
  readonly issuedAt: Date
  readonly expiresAt: Date
  /** In which it was handed out; see domain/log-out.ts. */
  readonly epoch: Epoch
}

const HOLDER_MS = 90 * DAY_MS

/** Whether the token lets its address in, as far as the time goes. */
export function isTokenAlive(
  { issuedAt, expiresAt }: Pick<TokenClaims, 'issuedAt' | 'expiresAt'>,
  now: Date,
): boolean {
  return now < expiresAt && !isFromFuture(issuedAt, now)
}

/**
 * Whether the token shows, as far as the time goes, that its sender has been in with this address: it may have expired.
 */
export function isHoldersToken(
  { issuedAt }: Pick<TokenClaims, 'issuedAt'>,
  { tokenLifetimeMs, now }: { tokenLifetimeMs: number; now: Date },
): boolean {
  const ageMs = now.getTime() - issuedAt.getTime()
  return ageMs <= holderLifetimeMs(tokenLifetimeMs) && !isFromFuture(issuedAt, now)
}

/** For how long a token is of any use to its holder, from its issue, where tokens are now issued for that lifetime. */
export function holderLifetimeMs(tokenLifetimeMs: number): number {
  return Math.max(HOLDER_MS, tokenLifetimeMs)
}
