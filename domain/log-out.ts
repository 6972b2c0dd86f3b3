/**
 * Logging out everywhere sets a moment: tokens issued before it are void. All functions here keep to that moment
 * even when the clock stands still or is set back.
 */

// Why: docs/decisions.md#log-outs-are-deleted-and-older-tokens-stay-void
/** The moment that logging out now sets: after every token issued up to now, and after the previous moment. */
export function nextTokensValidAfter(previous: Date | null, now: Date): Date {
  return new Date(Math.max(now.getTime(), previous?.getTime() ?? 0) + 1)
}

/** When a token issued now counts as issued: never before the moment of the latest log-out. */
export function issueTime(tokensValidAfter: Date | null, now: Date): Date {
  return new Date(Math.max(now.getTime(), tokensValidAfter?.getTime() ?? 0))
}

export function isLoggedOut(issuedAt: Date, tokensValidAfter: Date | null): boolean {
  return tokensValidAfter !== null && issuedAt < tokensValidAfter
}
