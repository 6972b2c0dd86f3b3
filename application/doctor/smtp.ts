import { DAY_MS } from '../../domain/duration.ts'
import { type Finding, findingsOn } from './finding.ts'

/** How the mail server was reached, up to the log-in, and what the sender's domain says of its mails. */
export type SmtpFacts = {
  /** Of EMAIL_FROM. */
  readonly senderDomain: string
  readonly server: SmtpAnswer
  readonly spf: DomainRecord
  readonly dmarc: DomainRecord
  /** Null where none was asked for, or the server was not reached. */
  readonly testMail:
    | { readonly kind: 'sent' }
    | { readonly kind: 'failed'; readonly reason: string }
    | null
  /** Whose matter it is that no mail would be taken; null where one would, or a test mail was asked for. */
  readonly refusal: {
    readonly fault: 'settings' | 'recipient' | 'provider'
    readonly reason: string
  } | null
  readonly now: Date
}

export type SmtpAnswer =
  | {
      readonly kind: 'reached'
      readonly tls: { readonly version: string; readonly validUntil: Date | null } | null
      readonly isLoggedIn: boolean
    }
  /** `reason` has no secret. */
  | { readonly kind: 'failed'; readonly isLogIn: boolean; readonly reason: string }

/** `several`: more than one, which receivers take for none. `unknown`: no name server has answered. */
export type DomainRecord = 'one' | 'none' | 'several' | 'unknown'

const EXPIRES_SOON_MS = 14 * DAY_MS

export function checkSmtp(facts: SmtpFacts): readonly Finding[] {
  const { senderDomain, server, spf, dmarc, testMail, refusal, now } = facts
  return [
    ...checkServer(server, now),
    ...(testMail ? [checkTestMail(testMail)] : []),
    ...(refusal ? checkRefusal(refusal) : []),
    ...checkRecord(spf, { name: 'SPF', where: senderDomain, begins: 'v=spf1' }),
    ...checkRecord(dmarc, {
      name: 'DMARC',
      where: `_dmarc.${senderDomain}`,
      begins: 'v=DMARC1',
    }),
  ]
}

function checkServer(server: SmtpAnswer, now: Date): Finding[] {
  const { ok, warning, failed } = findingsOn('mail')
  if (server.kind === 'failed') {
    return server.isLogIn
      ? [failed(`the mail server refuses the log-in: ${server.reason}`, 'mend SMTP_URL')]
      : [
          failed(
            `the mail server cannot be used: ${server.reason}`,
            'see that SMTP_URL has the right host and port, that its certificate is valid for that host, and that the firewall of this machine lets mail out',
          ),
        ]
  }
  const { tls, isLoggedIn } = server
  const way = tls ? `over ${tls.version}` : 'without TLS'
  const reached = ok(
    `the mail server answers ${way}${isLoggedIn ? ', and takes the log-in' : ', without a log-in'}`,
  )
  const validMs = tls?.validUntil ? tls.validUntil.getTime() - now.getTime() : Infinity
  if (validMs > EXPIRES_SOON_MS) return [reached]
  const days = Math.max(0, Math.floor(validMs / DAY_MS))
  const text = `the certificate of the mail server ends in ${days} days`
  return [reached, warning(text, 'have it renewed: afterwards no mail goes out')]
}

function checkTestMail(testMail: NonNullable<SmtpFacts['testMail']>): Finding {
  const { ok, failed } = findingsOn('mail')
  return testMail.kind === 'sent'
    ? ok('a test mail is on its way: see that it arrives, and not among the spam')
    : failed(
        `the mail server refuses the test mail: ${testMail.reason}`,
        'see that it lets this account send as EMAIL_FROM',
      )
}

/** Whether it knows the address that stood for a recipient's says nothing of mails to others. */
function checkRefusal({ fault, reason }: NonNullable<SmtpFacts['refusal']>): Finding[] {
  const { warning, failed } = findingsOn('mail')
  switch (fault) {
    case 'recipient':
      return []
    case 'settings':
      return [
        failed(
          `the mail server takes no mail from EMAIL_FROM: ${reason}`,
          'see that it lets the account of SMTP_URL send as EMAIL_FROM',
        ),
      ]
    case 'provider':
      return [
        warning(
          `the mail server takes no mail just now: ${reason}`,
          'try again; if it stays so, ask who runs the mail server',
        ),
      ]
  }
}

function checkRecord(
  record: DomainRecord,
  { name, where, begins }: { name: string; where: string; begins: string },
): Finding[] {
  const { ok, skipped, warning } = findingsOn('mail')
  const mend = `publish one TXT record at ${where} that begins with ${begins}; who runs the mail server knows the rest`
  switch (record) {
    case 'one':
      return [ok(`${where} has a record of ${name}`)]
    case 'unknown':
      return [skipped(`whether ${where} has a record of ${name}: no name server has answered`)]
    case 'none':
      return [warning(`no ${name} record for ${where}: mails may land among the spam`, mend)]
    case 'several':
      return [warning(`several ${name} records for ${where}, which count as none`, mend)]
  }
}
