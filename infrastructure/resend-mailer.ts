import { Resend } from 'resend'
import type { Content, Mailer } from '../application/ports.ts'
import { Unavailable } from '../application/unavailable.ts'
import { otpEmail } from './otp-email.ts'

const RESEND_URL = 'https://api.resend.com'
const TIMEOUT_MS = 10_000
const REASON_LENGTH_MAX = 200

/** Sends through Resend's API, or through what answers in its place at `baseUrl`. */
export function resendMailer({
  apiKey,
  baseUrl,
  from,
  content,
  host,
  timeoutMs = TIMEOUT_MS,
}: {
  apiKey: string
  baseUrl: string | null
  from: string
  content: Content
  /** The host of the service, to which the code in the mail is bound. */
  host: string
  timeoutMs?: number
}): Mailer {
  const resend = new Resend(apiKey, { baseUrl: baseUrl ?? RESEND_URL })
  return {
    async sendOtp({ to, code, language, validForMs }) {
      const strings = content.strings(language)
      const { headers, ...mail } = otpEmail({ code, language, validForMs, host, strings })
      // The SDK hands these to fetch. A redirect that is followed would carry the code to somebody else's host.
      const options = { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' as const }
      const { data, error } = await resend.emails.send(
        { from, to, ...mail, headers: { ...headers } },
        options,
      )
      // Resend reports failure in its result rather than by throwing, and an answer that says nothing is none.
      if (typeof data?.id === 'string') return
      const answered = typeof error?.statusCode === 'number'
      throw new Unavailable('email', { cause: new Error(describe(error)), answered })
    },
  }
}

/** What Resend had against the mail, in words that may be logged: without addresses, codes and keys. */
function describe(
  error: { name?: unknown; message?: unknown; statusCode?: unknown } | null,
): string {
  const { name, message, statusCode } = error ?? {}
  const reason = `Resend: ${name ?? 'an unexpected answer'} (${statusCode ?? 'no status'}): ${message ?? ''}`
  return reason
    .replace(/\S*@\S*|\bre_\w+|[0-9]{6,}/g, '[…]')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, REASON_LENGTH_MAX)
}
