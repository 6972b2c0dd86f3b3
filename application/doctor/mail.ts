import { type Finding, findingsOn, type Outcome, reportNoAnswer } from './finding.ts'

/** Null where mails are only shown on the console. */
export type MailFacts = {
  /** Of EMAIL_FROM. */
  readonly senderDomain: string
  readonly domains: Outcome<readonly SenderDomain[]> | { readonly kind: 'sending_only' }
  /** Null where none was asked for. */
  readonly testMail: Outcome<null> | null
} | null

export type SenderDomain = {
  readonly name: string
  /** In the provider's words, such as `verified` or `pending`. */
  readonly status: string
}

const RESEND = {
  provider: 'Resend',
  setting: 'RESEND_API_KEY',
  keysPage: 'https://resend.com/api-keys',
  statusPage: 'https://resend-status.com',
}
const DOMAINS_PAGE = 'https://resend.com/domains'
const LISTED_MAX = 5

export function checkMail(facts: MailFacts): readonly Finding[] {
  const { ok } = findingsOn('mail')
  if (!facts) return [ok('shown on the console')]
  const { testMail } = facts
  return [...checkDomains(facts), ...(testMail ? [checkTestMail(testMail)] : [])]
}

function checkDomains({ domains, senderDomain, testMail }: NonNullable<MailFacts>): Finding[] {
  const { ok, warning, failed } = findingsOn('mail')
  switch (domains.kind) {
    case 'sending_only':
      // The test mail says more than the list of domains would.
      if (testMail) return []
      return [
        warning(
          'the key may send, and nothing else: whether the domain is verified cannot be told',
          'send a test mail: alibi doctor --mail-to YOU@YOUR-DOMAIN',
        ),
      ]
    case 'refused':
    case 'unreachable':
      return [reportNoAnswer('mail', domains, RESEND)]
    case 'answered':
      break
  }
  const own = domains.value.find(({ name }) => name.toLowerCase() === senderDomain)
  if (own?.status === 'verified') return [ok(`the key works, and ${senderDomain} is verified`)]
  if (own) {
    const text = `${senderDomain}, the domain of EMAIL_FROM, is not verified (${own.status})`
    return [failed(text, `set the DNS records that ${DOMAINS_PAGE} shows, and verify it there`)]
  }
  // A domain and its subdomains are verified separately.
  const names = domains.value.slice(0, LISTED_MAX).map(({ name }) => name)
  const there = names.length === 0 ? 'it knows none' : `it knows ${names.join(', ')}`
  return [
    failed(
      `Resend does not know ${senderDomain}, the domain of EMAIL_FROM: ${there}`,
      `add it at ${DOMAINS_PAGE}, or use an address of a domain that is verified there`,
    ),
  ]
}

function checkTestMail(sent: Outcome<null>): Finding {
  const { ok, failed } = findingsOn('mail')
  switch (sent.kind) {
    case 'answered':
      return ok('a test mail is on its way: see that it arrives, and not among the spam')
    case 'refused':
      return failed(
        `Resend refuses the test mail (HTTP ${sent.status})`,
        `see that RESEND_API_KEY is right (${RESEND.keysPage}), and that the domain of EMAIL_FROM is verified (${DOMAINS_PAGE})`,
      )
    case 'unreachable':
      return failed(`the test mail could not be sent: ${sent.reason}`, 'try again')
  }
}
