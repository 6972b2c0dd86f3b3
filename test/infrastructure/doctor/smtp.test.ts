import { afterEach, beforeAll, expect, test } from 'bun:test'
import { DAY_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import { SMTP_URL } from '../../../infrastructure/config/smtp-url.ts'
import { checkCertificate, checkSmtp, type LookUpTxt } from '../../../infrastructure/doctor/smtp.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { makeMailCertificates, startSmtpDouble } from '../../support/smtp-double.ts'

let certificates: Awaited<ReturnType<typeof makeMailCertificates>>
beforeAll(async () => {
  certificates = await makeMailCertificates()
})
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

const RECORDS: Record<string, string[]> = {
  'mail.example.com': ['v=spf1 include:example.net -all', 'another record'],
  '_dmarc.example.com': ['v=DMARC1; p=reject'],
}
const lookUp =
  (records: Record<string, string[]>): LookUpTxt =>
  async (name) => {
    const found = records[name]
    if (!found) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    return found
  }

/** The level and the words of each finding. */
async function findings(
  url: string,
  {
    records = RECORDS,
    authority = certificates.authority,
    inDays = -30,
    lookUpTxt = lookUp(records),
    mailTo = null,
  }: {
    records?: Record<string, string[]>
    authority?: string
    inDays?: number
    lookUpTxt?: LookUpTxt
    mailTo?: Email | null
  } = {},
): Promise<string[]> {
  const server = SMTP_URL.parse(url)!
  const from = 'Alibi <no-reply@mail.example.com>'
  const clock = { now: () => new Date(Date.now() + inDays * DAY_MS) }
  const around = { from, clock, mailTo, publicUrl: 'https://alibi.example.com' }
  const question = { ...around, timeoutMs: PATIENCE_MS, lookUpTxt }
  const found = await checkSmtp({ server, authority }, question)
  return found.map(({ level, text }) => `${level} ${text}`)
}

async function openServer(options: Parameters<typeof startSmtpDouble>[0] = {}) {
  const server = await startSmtpDouble({ certificate: certificates, ...options })
  cleanUps.push(server.stop)
  return server
}

test('a mail server that is right is reached over TLS, logged in to, and sent nothing', async () => {
  for (const tls of ['starttls', 'first'] as const) {
    const server = await openServer({ tls, login: true })
    expect(await findings(server.url)).toEqual([
      'ok the mail server answers over TLSv1.3, and takes the log-in',
      'ok mail.example.com has a record of SPF',
      'ok _dmarc.mail.example.com has a record of DMARC',
    ])
    expect(server.mails).toEqual([])
  }
})

test('a certificate that ends soon is a warning, but for that of a server of this machine', async () => {
  const now = new Date()
  const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS)
  expect(checkCertificate(inDays(2.5), now)[0]?.text).toBe(
    'the certificate of the mail server ends in 2 days',
  )
  expect(checkCertificate(inDays(15), now)).toEqual([])
  const server = await openServer({ tls: 'starttls' })
  expect((await findings(server.url, { inDays: 0 })).join()).not.toContain('certificate')
})

test('a wrong certificate elsewhere, a wrong password and no server at all are failures', async () => {
  const server = await openServer({ tls: 'starttls', login: true })
  const untrusted = { authority: certificates.otherAuthority }
  const elsewhere = server.url.replace('localhost', '0.0.0.0')
  expect((await findings(elsewhere, untrusted))[0]).toStartWith(
    'failed the mail server cannot be used: connect: ',
  )
  expect((await findings(server.url.replace('alibi', 'other')))[0]).toBe(
    'failed the mail server refuses the log-in: login: EAUTH: 535',
  )
  await server.stop()
  expect((await findings(server.url))[0]).toStartWith('failed the mail server cannot be used: ')
})

test('a domain without SPF and DMARC, or with two, is warned of; silent name servers are not', async () => {
  const server = await openServer()
  const levels = async (options: Parameters<typeof findings>[1]) =>
    (await findings(server.url, options)).map((line) => line.split(' ', 1)[0])
  expect(await levels({ records: {} })).toEqual(['ok', 'warning', 'warning'])
  const twice = { 'mail.example.com': ['v=spf1 -all', 'v=spf1 +all'], '_dmarc.example.com': ['x'] }
  expect(await levels({ records: twice })).toEqual(['ok', 'warning', 'warning'])
  const lookUpTxt = async () => {
    throw Object.assign(new Error('late'), { code: 'ETIMEOUT' })
  }
  expect(await levels({ lookUpTxt })).toEqual(['ok', 'skipped', 'skipped'])
})

test('a test mail is sent where one is asked for, and a refusal of it is a failure', async () => {
  const server = await openServer({ tls: 'starttls', login: true })
  const mailTo = 'anna@example.com' as Email
  expect((await findings(server.url, { mailTo }))[1]).toStartWith('ok a test mail is on its way')
  expect(server.mails).toMatchObject([
    { from: 'no-reply@mail.example.com', to: mailTo, greeting: 'alibi.example.com' },
  ])
  server.fault('sender', { status: 553, words: '5.7.1 not yours' })
  expect((await findings(server.url, { mailTo }))[1]).toBe(
    'failed the mail server refuses the test mail: sender: EENVELOPE: 553 5.7.1 not yours',
  )
})

test('a mail is begun and broken off, so that a sender who is refused is a failure before anybody misses a mail', async () => {
  const server = await openServer({ tls: 'starttls', login: true })
  const trouble = async () => (await findings(server.url)).slice(1, -2)
  expect(await trouble()).toEqual([])
  server.fault('sender', { status: 553, words: '5.7.1 not yours' })
  expect(await trouble()).toEqual([
    'failed the mail server takes no mail from EMAIL_FROM: sender: EENVELOPE: 553 5.7.1 not yours',
  ])
  server.fault('recipient', { status: 554, words: '5.7.1 Relay access denied' })
  expect(await trouble()).toEqual([
    'failed the mail server takes no mail from EMAIL_FROM: recipient: EENVELOPE: 554 5.7.1 Relay access denied',
  ])
  server.fault('sender', { status: 451, words: '4.3.0 try later' })
  expect(await trouble()).toEqual([
    'warning the mail server takes no mail just now: sender: EENVELOPE: 451 4.3.0 try later',
  ])
  server.fault('recipient', { status: 550, words: '5.1.1 nobody reads there' })
  expect(await trouble()).toEqual([])
  expect(server.mails).toEqual([])
})
