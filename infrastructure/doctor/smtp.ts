import { Resolver } from 'node:dns/promises'
import MailComposer from 'nodemailer/lib/mail-composer'
import { type Finding, findingsOn, made } from '../../application/doctor/finding.ts'
import { DAY_MS } from '../../domain/duration.ts'
import { codeOf } from '../files/node-errors.ts'
import { faultOf } from '../mail/smtp-answers.ts'
import {
  openSmtpSession,
  SmtpFailure,
  type SmtpSession,
  type SmtpTarget,
} from '../mail/smtp-session.ts'
import { type MailQuestion, senderOf, testMailTo } from './test-mail.ts'

const EXPIRES_SOON_MS = 14 * DAY_MS

/** The TXT records of a name. Throws with Node's `code`: `ENOTFOUND` and `ENODATA` where there are none. */
export type LookUpTxt = (name: string) => Promise<readonly string[]>

/**
 * Connects to the mail server, logs in, sends a mail where one is asked for, else goes as far as its first word, and
 * looks at the records of the sender's domain. It needs no setting but those of mails.
 */
export async function checkSmtp(
  { server, authority }: Pick<SmtpTarget, 'server' | 'authority'>,
  question: MailQuestion & { lookUpTxt?: LookUpTxt },
): Promise<readonly Finding[]> {
  const { from, publicUrl, timeoutMs, lookUpTxt = systemTxt(timeoutMs) } = question
  const { domain } = senderOf(from)
  const [reached, spf, dmarc] = await Promise.all([
    checkServer({ server, publicUrl, authority }, question),
    findRecords(lookUpTxt, domain, /^v=spf1(?: |$)/i),
    findDmarc(lookUpTxt, domain),
  ])
  return [
    ...reached,
    checkRecord(spf, { name: 'SPF', where: domain, begins: 'v=spf1' }),
    checkRecord(dmarc, { name: 'DMARC', where: `_dmarc.${domain}`, begins: 'v=DMARC1' }),
  ]
}

async function checkServer(
  target: SmtpTarget,
  question: MailQuestion,
): Promise<readonly Finding[]> {
  const { ok, failed } = findingsOn('mail')
  const { timeoutMs, clock } = question
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const session = await openSmtpSession(target, { signal, timeoutMs })
    const { tls } = session
    signal.addEventListener('abort', session.close, { once: true })
    const mail = await checkMail(session, question)
    signal.removeEventListener('abort', session.close)
    if (session.isOpen()) session.quit()
    const way = tls ? `over ${tls.version}` : 'without TLS'
    const login = target.server.credentials ? ', and takes the log-in' : ', without a log-in'
    return [
      ok(`the mail server answers ${way}${login}`),
      ...checkCertificate(tls?.validUntil ?? null, clock.now()),
      ...mail,
    ]
  } catch (error) {
    if (!(error instanceof SmtpFailure)) throw error
    if (error.step === 'login') {
      return [failed(`the mail server refuses the log-in: ${error.message}`, 'mend SMTP_URL')]
    }
    return [
      failed(
        `the mail server cannot be used: ${error.message}`,
        'see that SMTP_URL has the right host and port, that its certificate is valid for that host, and that the firewall of this machine lets mail out',
      ),
    ]
  }
}

/** Null for a certificate that is not judged. */
export function checkCertificate(validUntil: Date | null, now: Date): readonly Finding[] {
  const validMs = validUntil ? validUntil.getTime() - now.getTime() : Infinity
  if (validMs > EXPIRES_SOON_MS) return []
  const days = Math.max(0, Math.floor(validMs / DAY_MS))
  return [
    findingsOn('mail').warning(
      `the certificate of the mail server ends in ${days} days`,
      'have it renewed: afterwards no mail goes out',
    ),
  ]
}

/** Sends the test mail; where none is asked for, begins one that is broken off. */
async function checkMail(
  session: SmtpSession,
  { from, publicUrl, mailTo }: MailQuestion,
): Promise<readonly Finding[]> {
  const { ok, warning, failed } = findingsOn('mail')
  const { address } = senderOf(from)
  try {
    if (mailTo === null) {
      // Nobody else's address is named where no mail is asked for.
      await session.tryEnvelope({ from: address, to: address })
      return []
    }
    const letter = testMailTo(mailTo, { from, publicUrl })
    const bytes = await new MailComposer(letter).compile().build()
    await session.send({ from: address, to: mailTo }, bytes)
    return [ok('a test mail is on its way: see that it arrives, and not among the spam')]
  } catch (error) {
    if (!(error instanceof SmtpFailure)) throw error
    const { message: reason } = error
    const fault = faultOf(error)
    if (mailTo !== null) {
      return [
        failed(
          `the mail server refuses the test mail: ${reason}`,
          'see that it lets this account send as EMAIL_FROM',
        ),
      ]
    }
    // Whether it knows the address that stood for a recipient's says nothing of mails to others.
    return made(
      fault === 'settings' &&
        failed(
          `the mail server takes no mail from EMAIL_FROM: ${reason}`,
          'see that it lets the account of SMTP_URL send as EMAIL_FROM',
        ),
      fault === 'provider' &&
        warning(
          `the mail server takes no mail just now: ${reason}`,
          'try again; if it stays so, ask who runs the mail server',
        ),
    )
  }
}

/** A domain without a record of its own has that of one above it: RFC 7489, section 6.6.3. */
async function findDmarc(lookUpTxt: LookUpTxt, domain: string): Promise<number | null> {
  const labels = domain.split('.')
  for (let at = 0; at < Math.max(1, labels.length - 1); at++) {
    const name = `_dmarc.${labels.slice(at).join('.')}`
    const records = await findRecords(lookUpTxt, name, /^v=DMARC1(?: *;|$)/)
    if (records !== 0) return records
  }
  return 0
}

/** How many there are; null where no name server has answered. */
async function findRecords(
  lookUpTxt: LookUpTxt,
  name: string,
  pattern: RegExp,
): Promise<number | null> {
  try {
    return (await lookUpTxt(name)).filter((text) => pattern.test(text)).length
  } catch (error) {
    return ['ENOTFOUND', 'ENODATA'].includes(codeOf(error) ?? '') ? 0 : null
  }
}

function systemTxt(timeoutMs: number): LookUpTxt {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 1 })
  return async (name) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
}

/** Receivers take several records for none. */
function checkRecord(
  records: number | null,
  { name, where, begins }: { name: string; where: string; begins: string },
): Finding {
  const { ok, skipped, warning } = findingsOn('mail')
  if (records === null) {
    return skipped(`whether ${where} has a record of ${name}: no name server has answered`)
  }
  if (records === 1) return ok(`${where} has a record of ${name}`)
  return warning(
    records === 0
      ? `no ${name} record for ${where}: mails may land among the spam`
      : `several ${name} records for ${where}, which count as none`,
    `publish one TXT record at ${where} that begins with ${begins}; who runs the mail server knows the rest`,
  )
}
