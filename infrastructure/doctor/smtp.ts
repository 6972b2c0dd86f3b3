import { Resolver } from 'node:dns/promises'
import MailComposer from 'nodemailer/lib/mail-composer'
import type { DomainRecord, SmtpFacts } from '../../application/doctor/smtp.ts'
import type { Email } from '../../domain/email.ts'
import { codeOf } from '../files/node-errors.ts'
import { faultOf } from '../mail/smtp-answers.ts'
import {
  openSmtpSession,
  SmtpFailure,
  type SmtpSession,
  type SmtpTarget,
} from '../mail/smtp-session.ts'
import { testMailTo } from './resend.ts'

type Letter = ReturnType<typeof testMailTo>

/** The TXT records of a name. Throws with Node's `code`: `ENOTFOUND` and `ENODATA` where there are none. */
export type LookUpTxt = (name: string) => Promise<readonly string[]>

/**
 * Connects to the mail server, logs in, sends a mail where one is asked for, else goes as far as its first word, and
 * looks at the records of the sender's domain. It needs no setting but those of mails.
 */
export async function probeSmtp({
  server,
  authority,
  from,
  publicUrl,
  mailTo,
  now,
  timeoutMs,
  lookUpTxt = systemTxt(timeoutMs),
}: SmtpTarget & {
  from: string
  /** Null sends none. */
  mailTo: Email | null
  now: Date
  timeoutMs: number
  lookUpTxt?: LookUpTxt
}): Promise<SmtpFacts> {
  const sender = from.replace(/^.*<|>$/g, '')
  const senderDomain = sender.split('@').at(-1)?.toLowerCase() ?? ''
  const letter = mailTo && testMailTo(mailTo, { from, publicUrl })
  const [reached, spf, dmarc] = await Promise.all([
    reach({ server, publicUrl, authority }, { from: sender, letter, timeoutMs }),
    findRecord(lookUpTxt, senderDomain, /^v=spf1(?: |$)/i),
    findDmarc(lookUpTxt, senderDomain),
  ])
  return { senderDomain, ...reached, spf, dmarc, now }
}

async function reach(
  target: SmtpTarget,
  { from, letter, timeoutMs }: { from: string; letter: Letter | null; timeoutMs: number },
): Promise<Pick<SmtpFacts, 'server' | 'testMail' | 'refusal'>> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const session = await openSmtpSession(target, { signal, timeoutMs })
    const { tls } = session
    const isLoggedIn = target.server.credentials !== null
    signal.addEventListener('abort', session.close, { once: true })
    // Nobody else's address is named where no mail is asked for.
    const failure = await failureOf(
      letter ? sendTest(session, { from, letter }) : session.tryEnvelope({ from, to: from }),
    )
    signal.removeEventListener('abort', session.close)
    if (session.isOpen()) session.quit()
    const reason = failure?.message ?? null
    return {
      server: { kind: 'reached', tls, isLoggedIn },
      testMail: letter && (reason === null ? { kind: 'sent' } : { kind: 'failed', reason }),
      refusal: letter || !failure ? null : { fault: faultOf(failure), reason: failure.message },
    }
  } catch (error) {
    if (!(error instanceof SmtpFailure)) throw error
    const { step, message: reason } = error
    const server = { kind: 'failed', isLogIn: step === 'login', reason } as const
    return { server, testMail: null, refusal: null }
  }
}

async function failureOf(asked: Promise<void>): Promise<SmtpFailure | null> {
  try {
    await asked
    return null
  } catch (error) {
    if (error instanceof SmtpFailure) return error
    throw error
  }
}

async function sendTest(
  session: SmtpSession,
  { from, letter }: { from: string; letter: Letter },
): Promise<void> {
  await session.send({ from, to: letter.to }, await new MailComposer(letter).compile().build())
}

/** A domain without a record of its own has that of one above it: RFC 7489, section 6.6.3. */
async function findDmarc(lookUpTxt: LookUpTxt, domain: string): Promise<DomainRecord> {
  const labels = domain.split('.')
  for (let at = 0; at < Math.max(1, labels.length - 1); at++) {
    const name = `_dmarc.${labels.slice(at).join('.')}`
    const record = await findRecord(lookUpTxt, name, /^v=DMARC1(?: *;|$)/)
    if (record !== 'none') return record
  }
  return 'none'
}

async function findRecord(
  lookUpTxt: LookUpTxt,
  name: string,
  pattern: RegExp,
): Promise<DomainRecord> {
  try {
    const { length } = (await lookUpTxt(name)).filter((text) => pattern.test(text))
    return length === 0 ? 'none' : length === 1 ? 'one' : 'several'
  } catch (error) {
    return ['ENOTFOUND', 'ENODATA'].includes(codeOf(error) ?? '') ? 'none' : 'unknown'
  }
}

function systemTxt(timeoutMs: number): LookUpTxt {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 1 })
  return async (name) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
}
