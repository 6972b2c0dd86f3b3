import type { CreateEmailRequestOptions } from 'resend'
import { withoutSecrets } from '../../application/error-report.ts'
import { onceAsked } from '../../application/first-use.ts'
import type { Content, Mailer } from '../../application/ports.ts'
import type { Unavailable } from '../../application/unavailable.ts'
import type { Email } from '../../domain/email.ts'
import type { OutboxKey } from '../../domain/outbox.ts'
import { RESEND_URL } from '../config/email-settings.ts'
import { SYSTEM_TIMERS } from '../system-clock.ts'
import { readAnnouncedPace } from './announced-pace.ts'
import { type Fault, mailOutage } from './fault.ts'
import type { EmailContent } from './mail-layout.ts'
import { otpEmailWriter } from './otp-email.ts'
import { paymentEmail } from './payment-email.ts'
import { type Answer, type SendingPace, sendingPace } from './sending-pace.ts'

const TIMEOUT_MS = 10_000
const REASON_LENGTH_MAX = 200

/** Sends through Resend's API, or a server that takes its place at `baseUrl`, at the pace that this announces. */
export function resendMailer({
  apiKey,
  baseUrl,
  from,
  content,
  publicUrl,
  timeoutMs = TIMEOUT_MS,
  pace = sendingPace({ timers: SYSTEM_TIMERS, timeoutMs }),
}: {
  apiKey: string
  baseUrl: string | null
  from: string
  content: Content
  /** Where the service is: a code in a mail is bound to its host, and a payment mail leads there. */
  publicUrl: string
  timeoutMs?: number
  pace?: SendingPace
}): Mailer {
  const loadResend = onceAsked(async () => {
    const { Resend } = await import('resend')
    return new Resend(apiKey, { baseUrl: baseUrl ?? RESEND_URL })
  })
  const writeOtpEmail = otpEmailWriter({ content, host: new URL(publicUrl).hostname })

  /** Each try of a mail is the same request, under the same key. */
  async function tryOnce(
    { to, key }: Addressed,
    { headers, ...mail }: EmailContent,
    timeLeftMs: number,
  ): Promise<Answer> {
    // The SDK hands these to fetch. A redirect that is followed would carry the code to another host.
    const options: CreateEmailRequestOptions & RequestInit = {
      signal: AbortSignal.timeout(Math.ceil(timeLeftMs)),
      redirect: 'manual',
      ...(key === null ? {} : { idempotencyKey: key }),
    }
    const resend = await loadResend()
    const answer = await resend.emails.send({ from, to, ...mail, headers: { ...headers } }, options)
    const { data, error } = answer
    const announced = readAnnouncedPace(answer.headers ?? {})
    // Resend reports failure in its result rather than by throwing. An answer without an id is no success.
    if (typeof data?.id === 'string' || (key !== null && isKnownMail(error))) {
      return { announced, tooMany: null }
    }
    if (isTooMany(error)) return { announced, tooMany: outage(error) }
    throw outage(error)
  }

  const send = (to: Addressed, mail: EmailContent, isCustomer: boolean) =>
    pace.send((timeLeftMs) => tryOnce(to, mail, timeLeftMs), { isCustomer })

  return {
    sendOtp: async (mail) => send({ to: mail.to, key: null }, writeOtpEmail(mail), mail.isCustomer),
    async sendPaymentNotice(notice) {
      const words = paymentEmail(notice, { publicUrl, content: content.in(notice.language) })
      await send(notice, words, true)
    },
  }
}

type Addressed = { readonly to: Email; readonly key: OutboxKey | null }

/** Resend's error as its SDK passes it on: the body of any answer. */
type Refused = { name?: unknown; message?: unknown; statusCode?: unknown } | null

/**
 * A mail with other words was sent under the key, such as by an older release: the buyer has it.
 * https://resend.com/docs/dashboard/emails/idempotency-keys
 */
function isKnownMail(error: Refused): boolean {
  return error?.name === 'invalid_idempotent_request'
}

/** Nothing more is taken on that day or in that month: https://resend.com/docs/api-reference/errors */
const USED_UP: readonly unknown[] = ['daily_quota_exceeded', 'monthly_quota_exceeded']

/** Whether the mail is taken if it comes a little later. */
function isTooMany(error: Refused): boolean {
  return error?.statusCode === 429 && !USED_UP.includes(error.name)
}

function outage(error: Refused): Unavailable {
  const { name, statusCode } = error ?? {}
  // Another request is sending the mail already, and its outcome is not known yet.
  const answered = typeof statusCode === 'number' && name !== 'concurrent_idempotent_requests'
  return mailOutage(faultOf(error ?? {}), { cause: new Error(describe(error)), answered })
}

/**
 * A key that is missing, wrong or restricted, a sender whose domain is not verified, an address where Resend is not.
 * https://resend.com/docs/api-reference/errors
 */
const OF_THE_SETTINGS: readonly unknown[] = [401, 403, 404, 405]
/** What is wrong with a field of this mail: the others have all fields in common but the recipient's. */
const OF_THE_MAIL: readonly unknown[] = [400, 422]

function faultOf({ name, statusCode }: NonNullable<Refused>): Fault {
  if (OF_THE_SETTINGS.includes(statusCode) || name === 'invalid_from_address') return 'settings'
  const isOfTheMail = OF_THE_MAIL.includes(statusCode) && name === 'validation_error'
  return isOfTheMail ? 'recipient' : 'provider'
}

/** Why Resend refused the mail, in words that may be logged: without addresses, codes and keys. */
function describe(error: Refused): string {
  const { name, message, statusCode } = error ?? {}
  const reason = `Resend: ${name ?? 'an unexpected answer'} (${statusCode ?? 'no status'}): ${message ?? ''}`
  return withoutSecrets(reason)
    .replace(/\S*@\S*|\bre_\w+|[0-9]{6,}/g, '[…]')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, REASON_LENGTH_MAX)
}
