import { Resend } from 'resend'
import {
  type Finding,
  findingsOn,
  made,
  type NoAnswer,
  reportNoAnswer,
} from '../../application/doctor/finding.ts'
import { RESEND_URL, senderOf } from '../config/email-settings.ts'
import { type MailQuestion, testMailTo } from './test-mail.ts'

const RESEND = {
  provider: 'Resend',
  setting: 'RESEND_API_KEY',
  keysPage: 'https://resend.com/api-keys',
  statusPage: 'https://resend-status.com',
}
const DOMAINS_PAGE = 'https://resend.com/domains'
const LISTED_MAX = 5
const NO_SENSE = { kind: 'unreachable', reason: 'an answer that makes no sense' } as const

type Answered<Value> =
  | NoAnswer
  | { readonly kind: 'sending_only' }
  | { readonly kind: 'answered'; readonly value: Value }

/** Looks at what Resend knows of the key and of the sender's domain, and sends a mail where one is asked for. */
export async function checkResend(
  /** The address is null for Resend's own. */
  { apiKey, baseUrl }: { apiKey: string; baseUrl: string | null },
  { from, publicUrl, mailTo, timeoutMs }: MailQuestion,
): Promise<readonly Finding[]> {
  const resend = new Resend(apiKey, { baseUrl: baseUrl ?? RESEND_URL })

  /** The SDK hands the options on to fetch, and never throws. */
  async function ask<Value>(
    question: (options: { signal: AbortSignal; redirect: 'manual' }) => Promise<Answer<Value>>,
  ): Promise<Answered<Value>> {
    const signal = AbortSignal.timeout(timeoutMs)
    const { data, error } = await question({ signal, redirect: 'manual' })
    if (data && !error) return { kind: 'answered', value: data }
    if (signal.aborted) {
      return { kind: 'unreachable', reason: `no answer within ${timeoutMs / 1000} s` }
    }
    return readRefusal(error)
  }

  const [domains, sent] = await Promise.all([
    ask((options) => resend.domains.list({ limit: 100 }, options)),
    mailTo &&
      ask((options) => resend.emails.send(testMailTo(mailTo, { from, publicUrl }), options)),
  ])
  const { domain } = senderOf(from)
  return made(
    // The test mail says more than the list of domains would.
    !(sent && domains.kind === 'sending_only') && checkDomains(domains, domain),
    sent !== null && checkTestMail(sent),
  )
}

type Refused = { readonly name?: unknown; readonly statusCode?: unknown } | null
type Answer<Value> = { readonly data: Value | null; readonly error: Refused }

/** https://resend.com/docs/api-reference/errors. Resend's own words may contain an address. */
function readRefusal(error: Refused): Answered<never> {
  const { name, statusCode: status } = error ?? {}
  if (name === 'restricted_api_key') return { kind: 'sending_only' }
  if (status === 401 || status === 403) return { kind: 'refused', status }
  if (typeof status === 'number') {
    return { kind: 'unreachable', reason: `it answers HTTP ${status}` }
  }
  return { kind: 'unreachable', reason: 'no connection, or an answer that makes no sense' }
}

function checkDomains(listed: Answered<{ readonly data: unknown }>, domain: string): Finding {
  const { ok, warning, failed } = findingsOn('mail')
  if (listed.kind === 'sending_only') {
    return warning(
      'the key may send, and nothing else: whether the domain is verified cannot be told',
      'send a test mail: alibi doctor --mail-to YOU@YOUR-DOMAIN',
    )
  }
  if (listed.kind !== 'answered') return reportNoAnswer('mail', listed, RESEND)
  const domains = listed.value.data
  if (!isDomainList(domains)) return reportNoAnswer('mail', NO_SENSE, RESEND)

  const own = domains.find(({ name }) => name.toLowerCase() === domain)
  if (own?.status === 'verified') return ok(`the key works, and ${domain} is verified`)
  if (own) {
    const text = `${domain}, the domain of EMAIL_FROM, is not verified (${own.status})`
    return failed(text, `set the DNS records that ${DOMAINS_PAGE} shows, and verify it there`)
  }
  // A domain and its subdomains are verified separately.
  const names = domains.slice(0, LISTED_MAX).map(({ name }) => name)
  const there = names.length === 0 ? 'it knows none' : `it knows ${names.join(', ')}`
  return failed(
    `Resend does not know ${domain}, the domain of EMAIL_FROM: ${there}`,
    `add it at ${DOMAINS_PAGE}, or use an address of a domain that is verified there`,
  )
}

/** The status is in Resend's words, such as `verified` or `pending`. */
function isDomainList(list: unknown): list is readonly { name: string; status: string }[] {
  return (
    Array.isArray(list) &&
    list.every((one) => typeof one?.name === 'string' && typeof one?.status === 'string')
  )
}

function checkTestMail(sent: Answered<{ readonly id: unknown }>): Finding {
  const { ok, failed } = findingsOn('mail')
  if (sent.kind === 'answered' && typeof sent.value.id === 'string') {
    return ok('a test mail is on its way: see that it arrives, and not among the spam')
  }
  if (sent.kind === 'answered' || sent.kind === 'unreachable') {
    const { reason } = sent.kind === 'answered' ? NO_SENSE : sent
    return failed(`the test mail could not be sent: ${reason}`, 'try again')
  }
  // A key that may only send is refused where it may not send from that domain.
  const status = sent.kind === 'refused' ? sent.status : 401
  return failed(
    `Resend refuses the test mail (HTTP ${status})`,
    `see that RESEND_API_KEY is right (${RESEND.keysPage}), and that the domain of EMAIL_FROM is verified (${DOMAINS_PAGE})`,
  )
}
