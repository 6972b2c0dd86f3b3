import { Resend } from 'resend'
import type { Outcome } from '../../application/doctor/finding.ts'
import type { MailFacts, SenderDomain } from '../../application/doctor/mail.ts'
import type { Email } from '../../domain/email.ts'
import { RESEND_URL } from '../config/email-settings.ts'

/** Looks at what Resend knows of the key and of the sender's domain, and sends a mail where one is asked for. */
export async function probeResend({
  apiKey,
  baseUrl,
  from,
  publicUrl,
  mailTo,
  timeoutMs,
}: {
  apiKey: string
  /** Null for Resend's own. */
  baseUrl: string | null
  from: string
  publicUrl: string | null
  /** Null sends none. */
  mailTo: Email | null
  timeoutMs: number
}): Promise<NonNullable<MailFacts>> {
  const resend = new Resend(apiKey, { baseUrl: baseUrl ?? RESEND_URL })

  /** The SDK hands the options on to fetch, and never throws. */
  async function ask<Value>(
    question: (options: { signal: AbortSignal; redirect: 'manual' }) => Promise<Answer<Value>>,
  ): Promise<Answered<Value>> {
    const signal = AbortSignal.timeout(timeoutMs)
    const { data, error } = await question({ signal, redirect: 'manual' })
    if (data && !error) return { kind: 'answered', value: data }
    if (signal.aborted)
      return { kind: 'unreachable', reason: `no answer within ${timeoutMs / 1000} s` }
    return readRefusal(error)
  }

  const [domains, testMail] = await Promise.all([
    ask((options) => resend.domains.list({ limit: 100 }, options)),
    mailTo &&
      ask((options) => resend.emails.send(testMailTo(mailTo, { from, publicUrl }), options)),
  ])
  return {
    senderDomain: domainOf(from),
    domains: domains.kind === 'answered' ? readDomains(domains.value) : domains,
    testMail: testMail && readReceipt(testMail),
  }
}

type Refused = { readonly name?: unknown; readonly statusCode?: unknown } | null
type Answer<Value> = { readonly data: Value | null; readonly error: Refused }
type Answered<Value> = Outcome<Value> | { readonly kind: 'sending_only' }

/** https://resend.com/docs/api-reference/errors. Resend's own words may contain an address. */
function readRefusal(error: Refused): Exclude<Answered<never>, { kind: 'answered' }> {
  const { name, statusCode: status } = error ?? {}
  if (name === 'restricted_api_key') return { kind: 'sending_only' }
  if (status === 401 || status === 403) return { kind: 'refused', status }
  if (typeof status === 'number')
    return { kind: 'unreachable', reason: `it answers HTTP ${status}` }
  return { kind: 'unreachable', reason: 'no connection, or an answer that makes no sense' }
}

function readDomains(answer: { readonly data: unknown }): Outcome<readonly SenderDomain[]> {
  const { data } = answer
  if (Array.isArray(data) && data.every(isDomain)) return { kind: 'answered', value: data }
  return { kind: 'unreachable', reason: 'an answer that makes no sense' }
}

function isDomain(value: unknown): value is SenderDomain {
  if (typeof value !== 'object' || value === null) return false
  return (
    typeof Reflect.get(value, 'name') === 'string' &&
    typeof Reflect.get(value, 'status') === 'string'
  )
}

function readReceipt(sent: Answered<{ readonly id: unknown }>): Outcome<null> {
  // No key is restricted to anything but sending.
  if (sent.kind === 'sending_only') return { kind: 'refused', status: 401 }
  if (sent.kind !== 'answered') return sent
  if (typeof sent.value.id === 'string') return { kind: 'answered', value: null }
  return { kind: 'unreachable', reason: 'an answer that makes no sense' }
}

/** The mail of `alibi doctor --mail-to`. */
export function testMailTo(
  to: Email,
  { from, publicUrl }: { from: string; publicUrl: string | null },
): { from: string; to: string; subject: string; text: string; headers: Record<string, string> } {
  return {
    from,
    to,
    subject: 'A test mail from Alibi',
    text: [
      `This is the test mail that "alibi doctor --mail-to" was asked for${publicUrl === null ? '' : `, at ${publicUrl}`}.`,
      'It has come, so mails with codes come as well. There is nothing to do.',
    ].join('\n\n'),
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

/** Of `Name <address>`, or of an address alone. */
function domainOf(from: string): string {
  return from.replace(/>$/, '').split('@').at(-1)?.toLowerCase() ?? ''
}
