import { createHash, randomUUID } from 'node:crypto'
import type { Content, Mailer } from '../../application/ports.ts'
import type { Unavailable } from '../../application/unavailable.ts'
import type { Email } from '../../domain/email.ts'
import type { OutboxKey } from '../../domain/outbox.ts'
import { SYSTEM_TIMERS } from '../system-clock.ts'
import { mailOutage } from './fault.ts'
import type { EmailContent } from './mail-layout.ts'
import { otpEmailWriter } from './otp-email.ts'
import { paymentEmail } from './payment-email.ts'
import { type Answer, sendingPace, type Timers } from './sending-pace.ts'
import { faultOf, isStale, mayComeSoon } from './smtp-answers.ts'
import { smtpPool } from './smtp-pool.ts'
import { openSmtpSession, SmtpFailure, type SmtpSession, type SmtpTarget } from './smtp-session.ts'

const TIMEOUT_MS = 10_000
const ID_LENGTH = 32
/** What servers allow one sender at a time, and more than enough: Alibi's mails are small. */
const CONNECTIONS_MAX = 5

export type SmtpMailer = Mailer & {
  /** Ends the connections that wait for a next mail; those under way end with theirs. */
  stop(): void
}

type Letter = { readonly to: Email; readonly messageId: string; readonly mail: EmailContent }

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
  timers = SYSTEM_TIMERS,
}: SmtpTarget & {
  from: string
  content: Content
  /** Where the service is: it greets with its host, a code is bound to that, and a payment mail leads there. */
  publicUrl: string
  timeoutMs?: number
  timers?: Timers
}): SmtpMailer {
  const sender = addressOf(from)
  const domain = sender.split('@').at(-1) ?? ''
  const target = { server, publicUrl, authority }
  const pool = smtpPool({
    open: (signal) => openSmtpSession(target, { signal, timeoutMs }),
    timers,
  })
  const pace = sendingPace({ timers, timeoutMs, atOnceMax: CONNECTIONS_MAX })
  const writeOtpEmail = otpEmailWriter({ content, host: new URL(publicUrl).hostname })

  async function tryOnce(letter: Letter, timeLeftMs: number): Promise<Answer> {
    const tooLate = new AbortController()
    const cancel = timers.schedule(timeLeftMs, () => tooLate.abort())
    try {
      const message = await compose(letter, from)
      const envelope = { from: sender, to: letter.to }
      await handOver((session) => session.send(envelope, message), tooLate.signal)
      return { announced: UNSAID, tooMany: null }
    } catch (error) {
      if (!(error instanceof SmtpFailure)) throw error
      const outage = outageOf(error)
      if (mayComeSoon(error)) return { announced: UNSAID, tooMany: outage }
      throw outage
    } finally {
      cancel()
    }
  }

  /** A server may have closed a connection that was kept: the mail then goes over another one. */
  async function handOver(
    send: (session: SmtpSession) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      let wasFresh = true
      try {
        return await pool.use(({ session, isFresh }) => {
          wasFresh = isFresh
          return send(session)
        }, signal)
      } catch (error) {
        const isOver = wasFresh || signal.aborted || !(error instanceof SmtpFailure)
        if (isOver || !isStale(error)) throw error
      }
    }
  }

  const send = (letter: Letter, isCustomer: boolean) =>
    pace.send((timeLeftMs) => tryOnce(letter, timeLeftMs), { isCustomer })

  return {
    sendOtp: (otp) =>
      send(
        { to: otp.to, messageId: `<${randomUUID()}@${domain}>`, mail: writeOtpEmail(otp) },
        otp.isCustomer,
      ),
    async sendPaymentNotice(notice) {
      const { to, key, language } = notice
      const mail = paymentEmail(notice, { publicUrl, content: content.in(language) })
      await send({ to, messageId: messageIdOf(key, domain), mail }, true)
    },
    stop: pool.stop,
  }
}

const UNSAID = { limit: null, retryAfterMs: null }

/** The same for the same message, and it tells nothing of the purchase. */
function messageIdOf(key: OutboxKey, domain: string): string {
  const id = createHash('sha256').update(key).digest('hex').slice(0, ID_LENGTH)
  return `<${id}@${domain}>`
}

/** Of `Name <address>`, or of an address alone. */
function addressOf(from: string): string {
  return /<([^<>]+)>$/.exec(from)?.[1] ?? from
}

async function compose({ to, messageId, mail }: Letter, from: string): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { headers, ...parts } = mail
  const composer = new MailComposer({
    from,
    to,
    messageId,
    ...parts,
    headers: { ...headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

function outageOf(failure: SmtpFailure): Unavailable {
  return mailOutage(faultOf(failure), {
    cause: new Error(`SMTP: ${failure.message}`),
    answered: failure.reply !== null,
    setting: 'SMTP_URL',
  })
}
