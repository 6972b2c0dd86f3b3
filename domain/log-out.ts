/**
 * Logging out everywhere draws a line in time: tokens issued before it are void. All of them keep to the line
 * even when the clock stands still or is set back.
 */

// Why: docs/decisions.md#log-outs-are-deleted-and-older-tokens-stay-void
/** Where the line is drawn by logging out now: after every token issued up to now, and after every earlier line. */
export function drawLine(previousLineAt: Date | null, now: Date): Date {
  return new Date(Math.max(now.getTime(), previousLineAt?.getTime() ?? 0) + 1)
}

/** When a token issued now counts as issued: never before the line. */
export function issueTime(lineAt: Date | null, now: Date): Date {
  return new Date(Math.max(now.getTime(), lineAt?.getTime() ?? 0))
}

export function isLoggedOut(issuedAt: Date, lineAt: Date | null): boolean {
  return lineAt !== null && issuedAt < lineAt
}
