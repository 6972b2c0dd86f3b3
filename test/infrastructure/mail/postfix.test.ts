import { expect, test } from 'bun:test'
import { Unavailable } from '../../../application/unavailable.ts'
import type { Email } from '../../../domain/email.ts'
import type { OtpCode } from '../../../domain/otp.ts'
import type { OutboxKey } from '../../../domain/outbox.ts'
import { SMTP_URL } from '../../../infrastructure/config/smtp-url.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { smtpMailer } from '../../../infrastructure/mail/smtp-mailer.ts'
import { until } from '../../support/executable/until.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { hasPostfix, startPostfix } from '../../support/postfix.ts'
import { decodedHtml, headerOf, makeMailCertificates } from '../../support/smtp-double.ts'

const to = 'anna@example.com' as Email
const CODE = {
  to,
  code: '123456' as OtpCode,
  language: 'sv',
  validForMs: 600_000,
  isCustomer: true,
} as const
const NOTICE = {
  kind: 'payment_confirmed',
  key: 'payment_confirmed:pur_0123456789abcdef' as OutboxKey,
  to,
  language: 'ar',
  amount: { amount: 400, currency: 'eur' },
} as const

if (hasPostfix()) {
  async function openMailer() {
    const certificates = await makeMailCertificates()
    const postfix = await startPostfix(certificates)
    const server = SMTP_URL.parse(postfix.url)
    if (!server) throw new Error(`${postfix.url} is refused`)
    const open = (authority: string) =>
      smtpMailer({
        server,
        authority,
        from: 'Alibi <no-reply@example.com>',
        content: builtInContent(),
        publicUrl: 'https://alibi.example',
        timeoutMs: PATIENCE_MS,
      })
    return { postfix, certificates, open }
  }

  test('a real Postfix takes every mail over TLS, and an attempt that is repeated has its Message-ID', async () => {
    const { postfix, certificates, open } = await openMailer()
    const mailer = open(certificates.authority)
    await mailer.sendOtp(CODE)
    await mailer.sendPaymentNotice(NOTICE)
    await mailer.sendPaymentNotice(NOTICE)
    mailer.stop()
    await until('all have arrived', () => postfix.mails().length === 3)

    const mails = postfix.mails().map((raw) => raw.replaceAll('\n', '\r\n'))
    const codes = mails.filter((raw) => decodedHtml(raw).includes('123456'))
    const notices = mails.filter((raw) => !codes.includes(raw))
    expect([codes.length, notices.length]).toEqual([1, 2])
    expect(headerOf({ raw: codes[0]! }, 'Subject')).toStartWith('=?UTF-8?Q?123456_')
    expect(headerOf({ raw: codes[0]! }, 'Auto-Submitted')).toBe('auto-generated')
    expect(new Set(notices.map((raw) => headerOf({ raw }, 'Message-ID'))).size).toBe(1)
    // All of it went over one connection, by TLS.
    await until('the connection has ended', async () =>
      /starttls=1 mail=3 rcpt=3 data=3/.test(await postfix.log()),
    )
  })

  test('a real Postfix on this machine takes mails with a certificate that it made itself', async () => {
    const { postfix, certificates, open } = await openMailer()
    const mailer = open(certificates.otherAuthority)
    await mailer.sendOtp(CODE)
    mailer.stop()
    await until('it has arrived', () => postfix.mails().length === 1)
    await until('it has come by TLS', async () => (await postfix.log()).includes('starttls=1'))
  })

  test('a real Postfix that does not know a recipient is an outage', async () => {
    const { postfix, certificates, open } = await openMailer()
    const mailer = open(certificates.authority)
    const unknown = mailer.sendOtp({ ...CODE, to: 'nobody@example.com' as Email })
    await expect(unknown).rejects.toThrow(Unavailable)
    mailer.stop()
    expect(postfix.mails()).toEqual([])
    await until('it has told of it', async () => (await postfix.log()).includes('550 5.1.1'))
  })
}
