import { createHash, randomUUID } from 'node:crypto'
import { createTransport } from 'nodemailer'
import type { Content, Mailer } from '../../application/ports.ts'
import { SECOND_MS } from '../../domain/duration.ts'
import type { Email } from '../../domain/email.ts'
import type { OutboxKey } from '../../domain/outbox.ts'
import { senderOf } from '../config/email-settings.ts'
import { SYSTEM_TIMERS } from '../system-clock.ts'
import { mailOutage } from './fault.ts'
import type { EmailContent } from './mail-layout.ts'
import { otpEmailWriter } from './otp-email.ts'
import { paymentEmail } from './payment-email.ts'
import { type Answer, sendingPace, type Timers } from './sending-pace.ts'
import { faultOf, mayComeSoon } from './smtp-answers.ts'
import { connectionOptions, type SmtpTarget, smtpFailure } from './smtp-connection.ts'

const TIMEOUT_MS = 10_000
const ID_LENGTH = 32
/** What servers allow one sender at a time, and more than enough: Alibi's mails are small. */
const CONNECTIONS_MAX = 5
/** Less than servers wait: RFC 5321, section 4.5.3.2.7, has five minutes, and many have one. */
const IDLE_MS = 30 * SECOND_MS

export type SmtpMailer = Mailer & {
  /** Ends the connections that wait for a next mail; those under way end with theirs. */
  stop(): void
}

type Letter = EmailContent & { readonly to: Email; readonly messageId: string }

/**
 * Sends through a mail server, over at most five connections that are kept for the next mail. SMTP knows no key under
 * which a mail is sent once: every attempt at a payment notice has the same Message-ID, also from another process.
 */
export function smtpMailer({
  server,
  authority,
  from,
  content,
  publicUrl,
  timeoutMs = TIMEOUT_MS,
  idleMs = IDLE_MS,
  timers = SYSTEM_TIMERS,
}: SmtpTarget & {
  from: string
  content: Content
  /** Where the service is: it greets with its host, a code is bound to that, and a payment mail leads there. */
  publicUrl: string
  timeoutMs?: number
  idleMs?: number
  timers?: Timers
}): SmtpMailer {
  const { domain } = senderOf(from)
  const { user, password: pass } = server.credentials ?? {}
  const transport = createTransport({
    ...connectionOptions({ server, publicUrl, authority }, timeoutMs),
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    idleTimeout: idleMs,
    ...(user && pass ? { auth: { user, pass }, forceAuth: true } : {}),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const pace = sendingPace({ timers, timeoutMs, atOnceMax: CONNECTIONS_MAX })
  const writeOtpEmail = otpEmailWriter({ content, host: new URL(publicUrl).hostname })

  async function tryOnce({ headers, ...letter }: Letter, timeLeftMs: number): Promise<Answer> {
    const tooLate = new AbortController()
    const cancel = timers.schedule(timeLeftMs, () => tooLate.abort())
    try {
      const mail = { from, ...letter, headers: { ...headers } }
      await transport.sendMail({ ...mail, signal: tooLate.signal })
      return { announced: UNSAID, tooMany: null }
    } catch (error) {
      const failure = smtpFailure(error)
      const outage = mailOutage(faultOf(failure), {
        cause: new Error(`SMTP: ${failure.reason}`),
        answered: failure.reply !== null,
        setting: 'SMTP_URL',
      })
      if (mayComeSoon(failure)) return { announced: UNSAID, tooMany: outage }
      throw outage
    } finally {
      cancel()
    }
  }

  const send = (letter: Letter, isCustomer: boolean) =>
    pace.send((timeLeftMs) => tryOnce(letter, timeLeftMs), { isCustomer })

  return {
    sendOtp: (otp) =>
      send(
        { to: otp.to, messageId: `<${randomUUID()}@${domain}>`, ...writeOtpEmail(otp) },
        otp.isCustomer,
      ),
    async sendPaymentNotice(notice) {
      const { to, key, language } = notice
      const mail = paymentEmail(notice, { publicUrl, content: content.in(language) })
      await send({ to, messageId: messageIdOf(key, domain), ...mail }, true)
    },
    stop: () => transport.close(),
  }
}

const UNSAID = { limit: null, retryAfterMs: null }

/** The same for the same message, and it tells nothing of the purchase. */
function messageIdOf(key: OutboxKey, domain: string): string {
  const id = createHash('sha256').update(key).digest('hex').slice(0, ID_LENGTH)
  return `<${id}@${domain}>`
}
