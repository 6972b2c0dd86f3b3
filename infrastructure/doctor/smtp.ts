import { Resolver } from 'node:dns/promises'
import type { DomainRecord, SmtpAnswer, SmtpFacts } from '../../application/doctor/smtp.ts'
import { codeOf } from '../files/node-errors.ts'
import { openSmtpSession, SmtpFailure, type SmtpTarget } from '../mail/smtp-session.ts'

/** The TXT records of a name. Throws with Node's `code`: `ENOTFOUND` and `ENODATA` where there are none. */
export type LookUpTxt = (name: string) => Promise<readonly string[]>

/** Connects to the mail server and logs in, sends nothing, and looks at the records of the sender's domain. */
export async function probeSmtp({
  server,
  authority,
  from,
  now,
  timeoutMs,
  lookUpTxt = systemTxt(timeoutMs),
}: SmtpTarget & {
  from: string
  now: Date
  timeoutMs: number
  lookUpTxt?: LookUpTxt
}): Promise<SmtpFacts> {
  const senderDomain = from.replace(/>$/, '').split('@').at(-1)?.toLowerCase() ?? ''
  const [answer, spf, dmarc] = await Promise.all([
    reach({ server, authority }, timeoutMs),
    findRecord(lookUpTxt, senderDomain, /^v=spf1(?: |$)/i),
    findDmarc(lookUpTxt, senderDomain),
  ])
  return { senderDomain, server: answer, spf, dmarc, now }
}

async function reach(target: SmtpTarget, timeoutMs: number): Promise<SmtpAnswer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const session = await openSmtpSession(target, { signal, timeoutMs })
    const { tls } = session
    session.quit()
    return { kind: 'reached', tls, isLoggedIn: target.server.credentials !== null }
  } catch (error) {
    if (!(error instanceof SmtpFailure)) throw error
    return { kind: 'failed', isLogIn: error.step === 'login', reason: error.message }
  }
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
