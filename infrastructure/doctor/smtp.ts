import { Resolver } from 'node:dns/promises'
import { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import MailComposer from 'nodemailer/lib/mail-composer'
import Connection from 'nodemailer/lib/smtp-connection'
import { type Finding, findingsOn, made } from '../../application/doctor/finding.ts'
import { DAY_MS } from '../../domain/duration.ts'
import { isLoopback } from '../../domain/ip-address.ts'
import { senderOf } from '../config/email-settings.ts'
import { codeOf } from '../files/node-errors.ts'
import { faultOf } from '../mail/smtp-answers.ts'
import { connectionOptions, type SmtpTarget, smtpFailure } from '../mail/smtp-connection.ts'
import { type MailQuestion, testMailTo } from './test-mail.ts'

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
  const { host, credentials } = target.server
  const connection = new Connection(connectionOptions(target, timeoutMs))
  const step = stepsOf(connection)
  const timer = setTimeout(() => connection.close(), timeoutMs)
  try {
    await step((done) => connection.connect(done))
    if (credentials) {
      const { user, password: pass } = credentials
      await step((done) => connection.login({ user, pass }, done))
    }
    const tls = tlsOf(connection)
    const way = tls ? `over ${tls.version}` : 'without TLS'
    const login = credentials ? ', and takes the log-in' : ', without a log-in'
    return [
      ok(`the mail server answers ${way}${login}`),
      ...checkCertificate(isLoopback(host) ? null : (tls?.validUntil ?? null), clock.now()),
      ...(await checkMail(connection, step, question)),
    ]
  } catch (error) {
    const { step: at, reason } = smtpFailure(error)
    if (at === 'login') {
      return [failed(`the mail server refuses the log-in: ${reason}`, 'mend SMTP_URL')]
    }
    return [
      failed(
        `the mail server cannot be used: ${reason}`,
        'see that SMTP_URL has the right host and port, that its certificate is valid for that host, and that the firewall of this machine lets mail out',
      ),
    ]
  } finally {
    clearTimeout(timer)
    connection.close()
  }
}

type Steps = (begin: (done: (error?: unknown) => void) => void) => Promise<void>

/** Each step ends with its answer, or with the connection. */
function stepsOf(connection: Connection): Steps {
  const broken = new Promise<never>((_, reject) => {
    connection.on('error', reject)
    connection.on('end', () => reject(new Error('the connection was closed')))
  })
  broken.catch(() => {})
  return (begin) =>
    Promise.race([
      broken,
      new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve()))),
    ])
}

function tlsOf({ secure, _socket: socket }: Connection) {
  if (!secure) return null
  if (!(socket instanceof TLSSocket)) return { version: 'TLS', validUntil: null }
  const validUntil = new Date(socket.getPeerCertificate().valid_to)
  return {
    version: socket.getProtocol() ?? 'TLS',
    validUntil: Number.isNaN(validUntil.getTime()) ? null : validUntil,
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
  connection: Connection,
  step: Steps,
  { from, publicUrl, mailTo }: MailQuestion,
): Promise<readonly Finding[]> {
  const { ok, warning, failed } = findingsOn('mail')
  const { address } = senderOf(from)
  try {
    if (mailTo === null) {
      const { promise: wanted, resolve } = Promise.withResolvers<void>()
      const words = new Readable({ read: () => resolve() })
      // Nobody else's address is named where no mail is asked for.
      const tried = step((done) => connection.send({ from: address, to: [address] }, words, done))
      await Promise.race([tried, wanted])
      return []
    }
    const letter = await new MailComposer(testMailTo(mailTo, { from, publicUrl })).compile().build()
    await step((done) => connection.send({ from: address, to: [mailTo] }, letter, done))
    await step(() => connection.quit()).catch(() => {})
    return [ok('a test mail is on its way: see that it arrives, and not among the spam')]
  } catch (error) {
    const failure = smtpFailure(error)
    const { reason } = failure
    const fault = faultOf(failure)
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
