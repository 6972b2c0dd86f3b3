import { afterEach, describe, expect, test } from 'bun:test'
import type { Mailer, OtpMail, PaymentNotice } from '../../application/ports.ts'
import { Unavailable } from '../../application/unavailable.ts'
import type { Email } from '../../domain/email.ts'
import { LANGUAGES } from '../../domain/language.ts'
import type { OtpCode } from '../../domain/otp.ts'
import type { OutboxKey } from '../../domain/outbox.ts'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { consoleMailer } from '../../infrastructure/mail/console-mailer.ts'
import { resendMailer } from '../../infrastructure/mail/resend-mailer.ts'
import { smtpMailer } from '../../infrastructure/mail/smtp-mailer.ts'
import { recordingMailer } from '../support/fakes.ts'
import { startMailbox } from '../support/mailbox.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { decodedHtml, startSmtpDouble } from '../support/smtp-double.ts'

const publicUrl = 'https://alibi.example.com'
const to = 'anna@example.com' as Email
/** Of every mailer that asks a server. */
const COMMON = { from: 'Alibi <no-reply@example.com>', publicUrl, timeoutMs: PATIENCE_MS }

const CODE: OtpMail = {
  to,
  code: '123456' as OtpCode,
  language: 'en',
  validForMs: 600_000,
  isCustomer: true,
}
const NOTICE: PaymentNotice = {
  kind: 'payment_confirmed',
  key: 'payment_confirmed:pur_1' as OutboxKey,
  to,
  language: 'en',
  amount: { amount: 400, currency: 'eur' },
}

type OpenMailer = {
  readonly mailer: Mailer
  /** How many mails have reached an address. */
  readonly countMails: () => number
  readonly breakDown: () => void
}

/** What the latest mail says. */
type LatestMail = { readonly latestText: () => string }

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

function openRecording(): OpenMailer {
  const mailer = recordingMailer()
  return {
    mailer,
    countMails: () => mailer.mails.length + mailer.notices.length,
    breakDown() {
      mailer.outage = true
    },
  }
}

function openResend(content = builtInContent()): OpenMailer & LatestMail {
  const mailbox = startMailbox()
  cleanUps.push(mailbox.stop)
  return {
    mailer: resendMailer({ ...COMMON, apiKey: 're_1', baseUrl: mailbox.url, content }),
    countMails: () => mailbox.delivered.length,
    latestText: () => mailbox.delivered.at(-1)?.html ?? '',
    breakDown: () => mailbox.fault('down', { times: Infinity }),
  }
}

async function openSmtp(content = builtInContent()): Promise<OpenMailer & LatestMail> {
  const double = await startSmtpDouble()
  const server = {
    host: '127.0.0.1',
    port: double.port,
    tls: 'offered' as const,
    credentials: null,
  }
  const mailer = smtpMailer({ ...COMMON, server, content })
  cleanUps.push(mailer.stop, double.stop)
  return {
    mailer,
    countMails: () => double.mails.length,
    latestText: () => decodedHtml(double.mails.at(-1)?.raw ?? ''),
    breakDown: () => double.fault('sender', { status: 451, words: 'down' }, { times: Infinity }),
  }
}

function openConsole(content = builtInContent()): OpenMailer & LatestMail {
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  return {
    mailer: consoleMailer({ write, content, publicUrl }),
    countMails: () => written.length,
    latestText: () => written.at(-1) ?? '',
    breakDown() {
      throw new Error('a console does not break down')
    },
  }
}

describe.each([
  ['the fake', openRecording],
  ['Resend', openResend],
  ['a mail server', openSmtp],
  ['the console', openConsole],
] as const)('Mailer on %s', (_, open) => {
  test('sends a code and both notices in every language', async () => {
    const { mailer, countMails } = await open()
    for (const language of LANGUAGES) {
      await mailer.sendOtp({ ...CODE, language })
      for (const kind of ['payment_confirmed', 'payment_failed'] as const) {
        const key = `${kind}:pur_${language}` as OutboxKey
        await mailer.sendPaymentNotice({ ...NOTICE, kind, key, language })
      }
    }
    expect(countMails()).toBe(3 * LANGUAGES.length)
  })

  test('sends the same code as often as it is asked to', async () => {
    const { mailer, countMails } = await open()
    for (let time = 1; time <= 3; time++) await mailer.sendOtp(CODE)
    expect(countMails()).toBe(3)
  })
})

describe.each([
  ['Resend', openResend],
  ['a mail server', openSmtp],
  ['the console', openConsole],
] as const)('Mailer on %s', (_, open) => {
  test('speaks one language throughout where there is nothing in the one that was asked for', async () => {
    const english = builtInContent().in('en')
    const { mailer, latestText } = await open({
      ...builtInContent(),
      languages: ['en'],
      in: () => english,
    })
    await mailer.sendOtp({ ...CODE, language: 'sv' })
    expect(latestText()).toContain('valid for 10 minutes.')
    expect(latestText()).not.toContain('lang="sv"')
    for (const kind of ['payment_confirmed', 'payment_failed'] as const) {
      await mailer.sendPaymentNotice({ ...NOTICE, kind, language: 'sv' })
      expect(latestText()).toContain('€4.00')
      expect(latestText()).not.toContain('lang="sv"')
    }
  })
})

// The console and SMTP remember no keys.
describe.each([
  ['the fake', openRecording],
  ['Resend', openResend],
] as const)('Mailer on %s', (_, open) => {
  test('sends a notice once under its key', async () => {
    const { mailer, countMails } = await open()
    for (let time = 1; time <= 3; time++) await mailer.sendPaymentNotice(NOTICE)
    expect(countMails()).toBe(1)
    await mailer.sendPaymentNotice({ ...NOTICE, key: 'payment_confirmed:pur_2' as OutboxKey })
    expect(countMails()).toBe(2)
  })
})

// The console has nothing that could break down.
describe.each([
  ['the fake', openRecording],
  ['Resend', openResend],
  ['a mail server', openSmtp],
] as const)('Mailer on %s', (_, open) => {
  test('throws Unavailable while the provider is down', async () => {
    const { mailer, countMails, breakDown } = await open()
    breakDown()
    for (const sending of [mailer.sendOtp(CODE), mailer.sendPaymentNotice(NOTICE)]) {
      const error = await sending.then(() => null).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Unavailable)
      expect(error).toMatchObject({ outage: 'email' })
    }
    expect(countMails()).toBe(0)
  })
})
