/** https://docs.stripe.com/webhooks#replay-attacks */
export const TOLERANCE_SECONDS = 300

/** While two secrets are rolled there are three. A header that is a list is read no further than this. */
const ENTRIES_MAX = 32

/**
 * A Stripe-Signature header as far as it is read, or null where it cannot make any payload count: it is missing, has
 * not exactly one time, no signature that could be one, or is older than five minutes. The SDK by itself never finds a
 * signature stale whose time is no number. https://docs.stripe.com/webhooks#verify-manually
 */
export function readableSignature(header: string | null, now: Date): string | null {
  const entries = (header ?? '').split(',', ENTRIES_MAX)
  const times = entries.filter((entry) => entry.startsWith('t='))
  const [, seconds] = /^t=(\d{1,12})$/.exec(times[0] ?? '') ?? []
  if (times.length !== 1 || seconds === undefined || !entries.some(isSignature)) return null

  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(seconds)
  return ageSeconds > TOLERANCE_SECONDS ? null : entries.join(',')
}

/** Under the only scheme that counts: an HMAC with SHA-256. */
function isSignature(entry: string): boolean {
  return /^v1=[0-9a-f]{64}(?:=|$)/.test(entry)
}
