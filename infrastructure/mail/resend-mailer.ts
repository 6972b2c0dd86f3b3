import { type CreateEmailRequestOptions, Resend } from 'resend'
import type { Content, Mailer } from '../../application/ports.ts'
import { Unavailable } from '../../application/unavailable.ts'
import type { Email } from '../../domain/email.ts'
import type { OutboxKey } from '../../domain/outbox.ts'
import { RESEND_URL } from '../config/email-settings.ts'
import type { EmailContent } from './mail-layout.ts'
import { otpEmail } from './otp-email.ts'
import { paymentEmail } from './payment-email.ts'

const TIMEOUT_MS = 10_000
const REASON_LENGTH_MAX = 200

/** Sends through Resend's API, or through a server that takes its place at `baseUrl`. */
export function resendMailer({
  apiKey,
  baseUrl,
  from,
  content,
  publicUrl,
  timeoutMs = TIMEOUT_MS,
}: {
  apiKey: string
  baseUrl: string | null
  from: string
  content: Content
  /** Where the service is: a code in a mail is bound to its host, and a payment mail leads there. */
  publicUrl: string
  timeoutMs?: number
}): Mailer {
  const resend = new Resend(apiKey, { baseUrl: baseUrl ?? RESEND_URL })
  const host = new URL(publicUrl).hostname

  async function send(
    { to, key }: { to: Email; key: OutboxKey | null },
    { headers, ...mail }: EmailContent,
  ): Promise<void> {
    // The SDK hands these to fetch. A redirect that is followed would carry the code to another host.
    const options: CreateEmailRequestOptions & RequestInit = {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'manual',
      ...(key === null ? {} : { idempotencyKey: key }),
    }
    const { data, error } = await resend.emails.send(
      { from, to, ...mail, headers: { ...headers } },
      options,
    )
    // Resend reports failure in its result rather than by throwing. An answer without an id is no success.
    if (typeof data?.id === 'string' || (key !== null && isKnownMail(error))) return
    throw outage(error)
  }

  return {
    async sendOtp({ to, code, language: wanted, validForMs }) {
      const { language, strings } = content.in(wanted)
      await send({ to, key: null }, otpEmail({ code, language, validForMs, host, strings }))
    },
    async sendPaymentNotice(notice) {
      const { language, strings } = content.in(notice.language)
      await send(notice, paymentEmail({ ...notice, language }, { publicUrl, strings }))
    },
  }
}

/** Resend's error as its SDK passes it on: the body of any answer. */
type Refused = { name?: unknown; message?: unknown; statusCode?: unknown } | null

/**
 * A mail with other words was sent under the key, such as by an older release: the buyer has it.
 * https://resend.com/docs/dashboard/emails/idempotency-keys
 */
function isKnownMail(error: Refused): boolean {
  return error?.name === 'invalid_idempotent_request'
}

function outage(error: Refused): Unavailable {
  const { name, statusCode } = error ?? {}
  // Another request is sending the mail already, and its outcome is not known yet.
  const answered = typeof statusCode === 'number' && name !== 'concurrent_idempotent_requests'
  // A key that is missing, wrong or restricted, or a sender's domain that is not verified.
  const needsOperator = statusCode === 401 || statusCode === 403
  return new Unavailable('email', { cause: new Error(describe(error)), answered, needsOperator })
}

/** Why Resend refused the mail, in words that may be logged: without addresses, codes and keys. */
function describe(error: Refused): string {
  const { name, message, statusCode } = error ?? {}
  const reason = `Resend: ${name ?? 'an unexpected answer'} (${statusCode ?? 'no status'}): ${message ?? ''}`
  return reason
    .replace(/\S*@\S*|\bre_\w+|[0-9]{6,}/g, '[…]')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, REASON_LENGTH_MAX)
}
