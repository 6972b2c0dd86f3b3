import { SECOND_MS } from '../../domain/duration.ts'

/** So many mails in any window of that length. */
export type MailLimit = { readonly count: number; readonly windowMs: number }

/** What a provider says with an answer about how fast it takes mails. Null where it says nothing. */
export type AnnouncedPace = {
  readonly limit: MailLimit | null
  /** Until it takes another mail, in milliseconds. */
  readonly retryAfterMs: number | null
}

const SECONDS = /^\s*([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*$/
const LIMIT = /^\s*([1-9][0-9]{0,8})(?![0-9])/
/** `5;w=1`: five in a second. There may be several, separated by commas. */
const POLICY = /([0-9]{1,9})\s*;\s*w\s*=\s*([1-9][0-9]{0,6})(?![0-9])/g

/**
 * Reads the headers of an answer, by their names in lower case. Without a policy the window is the time until the limit
 * is reset, and at least a second, which is Resend's.
 * https://resend.com/docs/api-reference/rate-limit
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06
 */
export function readAnnouncedPace(headers: Readonly<Record<string, string>>): AnnouncedPace {
  const written = headers['ratelimit-limit'] ?? ''
  const count = Number(LIMIT.exec(written)?.[1] ?? 0)
  const resetMs = readSeconds(headers['ratelimit-reset'])
  const policyMs = windowOf(count, headers['ratelimit-policy'] ?? written)
  const windowMs = policyMs ?? Math.max(SECOND_MS, resetMs ?? 0)
  return {
    limit: count === 0 ? null : { count, windowMs },
    retryAfterMs: readSeconds(headers['retry-after']) ?? resetMs,
  }
}

/** Null where no policy allows just so many. */
function windowOf(count: number, policies: string): number | null {
  const policy = [...policies.matchAll(POLICY)].find(([, allowed]) => Number(allowed) === count)
  return policy ? Number(policy[2]) * SECOND_MS : null
}

function readSeconds(written: string | undefined): number | null {
  const [, seconds] = SECONDS.exec(written ?? '') ?? []
  return seconds === undefined ? null : Number(seconds) * SECOND_MS
}
