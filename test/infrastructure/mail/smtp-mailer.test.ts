import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Mailer, OtpMail, PaymentNotice } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { SECOND_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import type { OtpCode } from '../../../domain/otp.ts'
import type { OutboxKey } from '../../../domain/outbox.ts'
import { SMTP_URL } from '../../../infrastructure/config/smtp-url.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import type { Fault } from '../../../infrastructure/mail/fault.ts'
import { smtpMailer } from '../../../infrastructure/mail/smtp-mailer.ts'
import { SYSTEM_TIMERS } from '../../../infrastructure/system-clock.ts'
import { until } from '../../support/executable/until.ts'
import { movedTimers } from '../../support/moved-timers.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { quietPort } from '../../support/quiet-port.ts'
import {
  headerOf,
  makeMailCertificates,
  type SmtpFault,
  type SmtpStage,
  startSmtpDouble,
} from '../../support/smtp-double.ts'

const content = builtInContent()
const MAIL: OtpMail = {
  to: 'anna@example.com' as Email,
  code: '123456' as OtpCode,
  language: 'sv',
  validForMs: 600_000,
  isCustomer: true,
}
const NOTICE: PaymentNotice = {
  kind: 'payment_confirmed',
  key: 'payment_confirmed:pur_0123456789abcdef' as OutboxKey,
  to: 'anna@example.com' as Email,
  language: 'sv',
  amount: { amount: 400, currency: 'eur' },
}
const SENDINGS: [string, (mailer: Mailer) => Promise<void>][] = [
  ['a code', (mailer) => mailer.sendOtp(MAIL)],
  ['a payment notice', (mailer) => mailer.sendPaymentNotice(NOTICE)],
]

let certificates: Awaited<ReturnType<typeof makeMailCertificates>>
beforeAll(async () => {
  certificates = await makeMailCertificates()
})

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

async function openServer(options: Parameters<typeof startSmtpDouble>[0] = {}) {
  const server = await startSmtpDouble({ certificate: certificates, ...options })
  cleanUps.push(server.stop)
  return server
}

function mailerAt(
  url: string,
  {
    authority = certificates.authority,
    timers = SYSTEM_TIMERS,
    publicUrl = 'https://alibi.example.com',
    idleMs = 30 * SECOND_MS,
  }: {
    authority?: string
    timers?: typeof SYSTEM_TIMERS
    publicUrl?: string
    idleMs?: number
  } = {},
) {
  const server = SMTP_URL.parse(url)
  if (!server) throw new Error(`no URL of a mail server: ${url}`)
  const from = 'Alibi Öppen <no-reply@example.com>'
  const delivery = { from, content, publicUrl, timeoutMs: PATIENCE_MS }
  const mailer = smtpMailer({ server, authority, ...delivery, idleMs, timers })
  cleanUps.push(mailer.stop)
  return mailer
}

async function failure(sending: Promise<void>): Promise<Unavailable> {
  const error = await sending.then(() => null).catch((reason: unknown) => reason)
  if (error instanceof Unavailable) return error
  throw new Error(`not an outage: ${error}`)
}

const causeOf = ({ cause }: Unavailable) => (cause instanceof Error ? cause.message : '')

describe('a mail', () => {
  test.each([
    ['STARTTLS', 'starttls'],
    ['TLS from the start', 'first'],
  ] as const)('goes over %s after a log-in, with both parts and the headers', async (_, tls) => {
    const server = await openServer({ tls, login: true })
    await mailerAt(server.url).sendOtp(MAIL)
    const [mail] = server.mails
    expect(server.mails).toHaveLength(1)
    expect(mail).toMatchObject({
      from: 'no-reply@example.com',
      to: 'anna@example.com',
      isEncrypted: true,
      user: 'alibi@example.com',
    })
    expect(headerOf(mail!, 'From')).toMatch(/^=\?UTF-8\?\S+\?= <no-reply@example\.com>$/)
    expect(headerOf(mail!, 'Subject')).toContain('123456')
    expect(headerOf(mail!, 'Auto-Submitted')).toBe('auto-generated')
    expect(headerOf(mail!, 'Message-ID')).toMatch(/^<[0-9a-f-]{36}@example\.com>$/)
    expect(headerOf(mail!, 'Content-Type')).toStartWith('multipart/alternative')
    expect(mail!.raw).toContain('text/plain; charset=utf-8')
    expect(mail!.raw).toContain('text/html; charset=utf-8')
    expect(mail!.raw).toContain('@alibi.example.com #123456')
  })

  test.each([
    ['https://alibi.example.com', 'alibi.example.com'],
    ['http://localhost:3000', 'localhost'],
    ['http://127.0.0.1:3000', '[127.0.0.1]'],
    // The double gives it in small letters.
    ['http://[::1]:3000', '[ipv6:::1]'],
  ])('from %s greets as %s, before TLS and within it', async (publicUrl, name) => {
    for (const tls of ['none', 'starttls', 'first'] as const) {
      const server = await openServer({ tls })
      await mailerAt(server.url, { publicUrl }).sendOtp(MAIL)
      expect(server.mails).toMatchObject([{ greeting: name, isEncrypted: tls !== 'none' }])
    }
  })

  test('goes in the clear to a server of this machine that offers no TLS', async () => {
    const server = await openServer({ login: true })
    await mailerAt(server.url).sendOtp(MAIL)
    expect(server.mails).toMatchObject([{ isEncrypted: false }])
  })

  test('goes nowhere in the clear where STARTTLS is wanted, and over that where it is offered', async () => {
    const plain = await openServer()
    const wanting = (url: string) => mailerAt(url.replace('smtp:', 'smtp+tls:'))
    const error = await failure(wanting(plain.url).sendOtp(MAIL))
    expect(error).toMatchObject({ needsOperator: true, setting: 'SMTP_URL' })
    expect(plain.mails).toEqual([])
    const server = await openServer({ tls: 'starttls' })
    await wanting(server.url).sendOtp(MAIL)
    expect(server.mails).toMatchObject([{ isEncrypted: true }])
  })

  test('about a payment has the same Message-ID at every attempt and from any process', async () => {
    const server = await openServer()
    const mailer = mailerAt(server.url)
    server.fault('taken', 'drop')
    expect(await failure(mailer.sendPaymentNotice(NOTICE))).toMatchObject({ answered: false })
    await mailer.sendPaymentNotice(NOTICE)
    await mailerAt(server.url).sendPaymentNotice({ ...NOTICE })
    await mailer.sendPaymentNotice({ ...NOTICE, key: `${NOTICE.key}2` as OutboxKey })
    const [first, second, third, other] = server.mails.map((one) => headerOf(one, 'Message-ID'))
    expect(first).toMatch(/^<[0-9a-f]{32}@example\.com>$/)
    expect([second, third]).toEqual([first, first])
    expect(other).not.toBe(first!)
  })
})

describe('a password', () => {
  test('goes in the clear to no server elsewhere, and neither does a mail', async () => {
    const server = await openServer({ login: true })
    const elsewhere = server.url.replace('localhost', '0.0.0.0')
    const error = await failure(mailerAt(elsewhere).sendOtp(MAIL))
    expect(error).toMatchObject({ needsOperator: true, setting: 'SMTP_URL' })
    expect(causeOf(error)).toStartWith('SMTP: tls: ETLS: 5')
    expect([server.mails, server.seen.logins]).toEqual([[], 0])
  })

  test('that is wrong needs an operator, who is shown the setting', async () => {
    const server = await openServer({ tls: 'starttls', login: true })
    const error = await failure(mailerAt(server.url.replace('alibi', 'other')).sendOtp(MAIL))
    expect(error).toMatchObject({ answered: true, needsOperator: true, setting: 'SMTP_URL' })
    expect(causeOf(error)).toBe('SMTP: login: EAUTH: 535')
  })
})

describe.each(SENDINGS)('%s', (_, send) => {
  test.each(['starttls', 'first'] as const)(
    'goes to no server elsewhere whose certificate does not hold (%s), and neither does the password',
    async (tls) => {
      const server = await openServer({ tls, login: true })
      const untrusting = { authority: certificates.otherAuthority }
      // It leads to this machine, and is none of its names.
      const elsewhere = server.url.replace('localhost', '0.0.0.0')
      for (const mailer of [mailerAt(elsewhere, untrusting), mailerAt(elsewhere)]) {
        const error = await failure(send(mailer))
        expect(error).toMatchObject({ answered: false, needsOperator: false })
      }
      expect([server.mails, server.seen.logins]).toEqual([[], 0])
    },
  )

  test.each(['starttls', 'first'] as const)(
    'goes to a server of this machine whatever its certificate (%s), with the password',
    async (tls) => {
      const server = await openServer({ tls, login: true })
      for (const host of ['localhost', '127.0.0.1']) {
        const url = server.url.replace('localhost', host)
        await send(mailerAt(url, { authority: certificates.otherAuthority }))
      }
      const taken = { isEncrypted: true, user: 'alibi@example.com' }
      expect(server.mails).toMatchObject([taken, taken])
    },
  )

  test.each<[SmtpStage, number, boolean]>([
    ['recipient', 550, false],
    ['recipient', 450, false],
    ['sender', 451, false],
    ['sender', 553, true],
    ['message', 554, true],
    ['message', 452, false],
    ['login', 535, true],
    ['login', 454, false],
    ['connect', 554, true],
  ])(
    'refused at the %s with %d is an outage; an operator is needed: %p',
    async (stage, status, needsOperator) => {
      const server = await openServer({ login: true })
      server.fault(stage, { status, words: 'anna@example.com 123456 refused' })
      const error = await failure(send(mailerAt(server.url)))
      expect(error).toMatchObject({ outage: 'email', answered: true, needsOperator })
      expect(causeOf(error)).toContain(String(status))
      expect(causeOf(error)).not.toMatch(/@|123456/)
      expect(server.mails).toEqual([])
      await send(mailerAt(server.url))
      expect(server.mails).toHaveLength(1)
    },
  )

  test.each<[Fault, SmtpStage, number, string]>([
    // What Exchange Online, Amazon SES, Postfix, qmail and Gmail say.
    [
      'settings',
      'message',
      554,
      '5.2.252 SendAsDenied; no-reply not allowed to send as that sender',
    ],
    [
      'settings',
      'message',
      550,
      '5.7.60 SMTP; Client does not have permissions to send as this sender',
    ],
    ['settings', 'message', 554, 'Message rejected: Email address is not verified.'],
    ['settings', 'message', 550, '5.7.1 Unauthenticated email is not accepted due to DMARC policy'],
    ['settings', 'sender', 550, '5.1.0 Sender denied'],
    ['settings', 'sender', 530, 'Authentication required'],
    ['settings', 'recipient', 550, '5.1.8 Sender address rejected: Domain not found'],
    ['settings', 'recipient', 504, '5.5.2 Helo command rejected: need fully-qualified hostname'],
    ['settings', 'recipient', 554, '5.7.1 Relay access denied'],
    ['settings', 'recipient', 530, 'Authentication required'],
    ['settings', 'recipient', 550, '5.7.1 not allowed'],
    ['settings', 'connect', 550, '5.7.1 no mail from there'],
    ['recipient', 'recipient', 550, '5.1.1 User unknown in virtual mailbox table'],
    ['recipient', 'recipient', 550, '5.4.1 Recipient address rejected: Access denied'],
    ['recipient', 'recipient', 553, "sorry, that domain isn't in my list"],
    ['recipient', 'message', 552, '5.2.2 Mailbox full'],
    ['recipient', 'message', 552, 'Mailbox full'],
    ['provider', 'sender', 552, '5.3.1 Mail system full'],
    ['provider', 'message', 550, '5.4.5 Daily user sending limit exceeded'],
    ['provider', 'recipient', 450, '4.2.0 Greylisted'],
  ])(
    'is a matter of the %s where at the %s the answer is %d %s',
    async (fault, stage, status, words) => {
      const server = await openServer()
      server.fault(stage, { status, words })
      expect(await failure(send(mailerAt(server.url)))).toMatchObject({
        outage: 'email',
        answered: true,
        needsOperator: fault === 'settings',
        isForGood: fault === 'recipient',
      })
    },
  )

  test('to a server that does not like the name of the greeting needs an operator', async () => {
    const server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (socket) => void socket.write('220 mail.example.com\r\n'),
        data: (socket) => void socket.write('550 5.7.1 not under that name\r\n'),
      },
    })
    cleanUps.push(() => server.stop(true))
    const error = await failure(send(mailerAt(`smtp://localhost:${server.port}`)))
    expect(error).toMatchObject({ answered: true, needsOperator: true, setting: 'SMTP_URL' })
  })

  test.each<[SmtpStage, SmtpFault, number]>([
    ['connect', 'hang', 0],
    ['login', 'hang', 0],
    ['sender', 'hang', 0],
    ['message', 'hang', 0],
    ['taken', 'hang', 1],
    ['login', 'drop', 0],
    ['recipient', 'drop', 0],
    ['message', 'drop', 0],
    ['taken', 'drop', 1],
  ])(
    'whose server at %s answers with a %s is an outage without an answer in time',
    async (stage, fault, taken) => {
      const server = await openServer({ login: true })
      server.fault(stage, fault)
      const timers = movedTimers()
      const failing = failure(send(mailerAt(server.url, { timers })))
      await until('the fault is met', () => server.seen.spoilt === 1)
      if (fault === 'hang') timers.advance(PATIENCE_MS)
      const error = await failing
      expect(error).toMatchObject({ answered: false, needsOperator: false })
      expect(server.mails).toHaveLength(taken)
      await until('the connection is closed', () => server.seen.open === 0)
    },
  )

  test('to a server that is not there is an outage, and goes once it is back', async () => {
    const gone = await openServer({ port: await quietPort() })
    await gone.stop()
    const mailer = mailerAt(gone.url)
    expect(await failure(send(mailer))).toMatchObject({ answered: false, needsOperator: false })
    const back = await openServer({ port: gone.port })
    await send(mailer)
    expect(back.mails).toHaveLength(1)
  })

  test.each<[SmtpStage, SmtpFault]>([
    ['sender', { status: 450, words: '4.7.1 Error: too much mail' }],
    ['message', { status: 454, words: 'Throttling failure: Maximum sending rate exceeded.' }],
  ])(
    'of which the server says at the %s that there are too many goes a little later',
    async (stage, fault) => {
      const server = await openServer()
      server.fault(stage, fault)
      await send(mailerAt(server.url))
      expect(server.mails).toHaveLength(1)
    },
  )
})

describe('a mail that is put off', () => {
  test('keeps nobody else waiting, and goes a second later', async () => {
    const server = await openServer()
    const timers = movedTimers()
    const mailer = mailerAt(server.url, { timers })
    server.fault('message', { status: 451, words: '4.7.1 Greylisted' })
    const sent = Array.from({ length: 9 }, () => mailer.sendOtp(MAIL))
    await until('all others have gone', () => server.mails.length === 8)
    timers.advance(SECOND_MS)
    await Promise.all(sent)
    expect(server.mails).toHaveLength(9)
  })

  test('because the server has enough connections shows how many it takes, and that is remembered', async () => {
    const server = await openServer({ connectionsMax: 2 })
    const timers = movedTimers()
    const mailer = mailerAt(server.url, { timers })
    async function send(count: number): Promise<number> {
      let left = count
      for (let one = 0; one < count; one++) void mailer.sendOtp(MAIL).finally(() => left--)
      await until('all have gone', () => {
        timers.advance(SECOND_MS / 10)
        return left === 0
      })
      return server.seen.connections
    }
    await send(20)
    const connections = await send(20)
    expect(await send(20)).toBe(connections)
    expect(server.mails).toHaveLength(60)
  })
})

describe('connections', () => {
  test('carry one mail after the other', async () => {
    const server = await openServer()
    const mailer = mailerAt(server.url)
    for (let time = 1; time <= 4; time++) await mailer.sendOtp(MAIL)
    expect([server.mails.length, server.seen.connections]).toEqual([4, 1])
  })

  test('are at most five at a time, and customers come first', async () => {
    const server = await openServer()
    const mailer = mailerAt(server.url)
    await mailer.sendOtp(MAIL)
    const mails = Array.from({ length: 20 }, (_, at) => ({
      ...MAIL,
      to: `${at < 10 ? 'stranger' : 'customer'}${at}@example.com` as Email,
      isCustomer: at >= 10,
    }))
    await Promise.all(mails.map((mail) => mailer.sendOtp(mail)))
    expect(server.seen.connections).toBeLessThanOrEqual(5)
    const order = server.mails.slice(1).map(({ to }) => to.slice(0, 8))
    expect(order).toHaveLength(20)
    expect(order.slice(-5)).toEqual(Array.from({ length: 5 }, () => 'stranger'))
  })

  test('that the server has closed cost no mail', async () => {
    const server = await openServer()
    const mailer = mailerAt(server.url)
    await mailer.sendOtp(MAIL)
    server.dropAll()
    await mailer.sendOtp(MAIL)
    server.fault('sender', { status: 421, words: '4.4.2 idle for too long' })
    await mailer.sendOtp(MAIL)
    server.dropAll()
    server.fault('connect', 'drop')
    await mailer.sendOtp(MAIL)
    expect(server.mails).toHaveLength(4)
  })

  test('end when nothing was sent for a while', async () => {
    const server = await openServer()
    const mailer = mailerAt(server.url, { idleMs: 1 })
    await mailer.sendOtp(MAIL)
    await until('the connection is closed', () => server.seen.open === 0)
    await mailer.sendOtp(MAIL)
    expect(server.seen.connections).toBe(2)
  })

  test('end at once where the service stops', async () => {
    const server = await openServer()
    const mailer = mailerAt(server.url)
    await mailer.sendOtp(MAIL)
    mailer.stop()
    await until('the connection is closed', () => server.seen.open === 0)
  })
})
