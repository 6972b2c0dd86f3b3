import { afterEach, describe, expect, test } from 'bun:test'
import { createEmulator } from 'emulate'
import type { Mailer, OtpMail, PaymentNotice } from '../../../application/ports.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../domain/duration.ts'
import type { Email } from '../../../domain/email.ts'
import { LANGUAGES } from '../../../domain/language.ts'
import type { OtpCode } from '../../../domain/otp.ts'
import type { OutboxKey } from '../../../domain/outbox.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { otpEmailWriter } from '../../../infrastructure/mail/otp-email.ts'
import { paymentEmail } from '../../../infrastructure/mail/payment-email.ts'
import { resendMailer } from '../../../infrastructure/mail/resend-mailer.ts'
import { contentWith, fixedClock } from '../../support/fakes.ts'
import { type MailFault, refusal, startMailbox } from '../../support/mailbox.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { stopTimers, whenLate } from '../../support/stopped-timers.ts'

const content = builtInContent()
const KEY = 're_0123456789'
const FROM = 'Alibi <no-reply@example.com>'
const PUBLIC_URL = 'https://alibi.example.com'

const MAIL: OtpMail = {
  to: 'anna@example.com' as Email,
  code: '123456' as OtpCode,
  language: 'sv',
  validForMs: 600_000,
  isCustomer: true,
}
const WORDS = otpEmailWriter({ content, host: 'alibi.example.com' })(MAIL)

const NOTICE: PaymentNotice = {
  kind: 'payment_confirmed',
  key: 'payment_confirmed:pur_0123456789abcdef' as OutboxKey,
  to: 'anna@example.com' as Email,
  language: 'sv',
  amount: { amount: 400, currency: 'eur' },
}
const NOTICE_WORDS = paymentEmail(NOTICE, { publicUrl: PUBLIC_URL, content: content.in('sv') })

/** Both kinds of mail, for what is promised of either. */
const SENDINGS: [string, (mailer: Mailer) => Promise<void>][] = [
  ['a code', (mailer) => mailer.sendOtp(MAIL)],
  ['a payment notice', (mailer) => mailer.sendPaymentNotice(NOTICE)],
]

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

function serve(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  cleanUps.push(() => server.stop(true))
  return `http://127.0.0.1:${server.port}`
}

function openMailbox() {
  const clock = fixedClock()
  const mailbox = startMailbox({ clock })
  cleanUps.push(mailbox.stop)
  return { mailbox, clock }
}

const mailerAt = (baseUrl: string, { timeoutMs = PATIENCE_MS, publicUrl = PUBLIC_URL } = {}) =>
  resendMailer({ apiKey: KEY, baseUrl, from: FROM, content, publicUrl, timeoutMs })

async function failure(sending: Promise<void>): Promise<Unavailable> {
  const error = await sending.then(() => null).catch((reason: unknown) => reason)
  if (error instanceof Unavailable) return error
  throw new Error(`not an outage: ${error}`)
}

const isSilent = (fault: MailFault) => fault === 'hang' || fault === 'taken_hang'

const causeOf = ({ cause }: Unavailable) => (cause instanceof Error ? cause.message : '')

/** What goes over the wire, without the answer. */
function recordingServer() {
  const requests: { path: string; key: string | null; idempotency: string | null; body: string }[] =
    []
  const url = serve(async (request) => {
    requests.push({
      path: new URL(request.url).pathname,
      key: request.headers.get('authorization'),
      idempotency: request.headers.get('idempotency-key'),
      body: await request.text(),
    })
    return Response.json({ id: `mail-${requests.length}` })
  })
  return { url, requests }
}

describe('on the wire', () => {
  test('a code goes out once, with the key, the sender, both parts and the header', async () => {
    const { url, requests } = recordingServer()
    await mailerAt(url).sendOtp(MAIL)

    const body = { from: FROM, to: 'anna@example.com', ...WORDS }
    expect(requests.map((request) => ({ ...request, body: JSON.parse(request.body) }))).toEqual([
      { path: '/emails', key: `Bearer ${KEY}`, idempotency: null, body },
    ])
  })

  test('a payment notice goes out in the same way, under its key', async () => {
    const { url, requests } = recordingServer()
    await mailerAt(url).sendPaymentNotice(NOTICE)

    const body = { from: FROM, to: 'anna@example.com', ...NOTICE_WORDS }
    expect(requests.map((request) => ({ ...request, body: JSON.parse(request.body) }))).toEqual([
      { path: '/emails', key: `Bearer ${KEY}`, idempotency: NOTICE.key, body },
    ])
  })

  test('the same notice is the same bytes each time, from any process', async () => {
    const { url, requests } = recordingServer()
    for (const language of LANGUAGES) {
      for (const kind of ['payment_confirmed', 'payment_failed'] as const) {
        const notice = { ...NOTICE, language, kind }
        const mailer = mailerAt(url)
        await mailer.sendPaymentNotice(notice)
        await mailer.sendPaymentNotice(notice)
        await mailerAt(url).sendPaymentNotice({ ...notice })
      }
    }
    const bodies = requests.map(({ body }) => body)
    expect(bodies.length).toBe(3 * 2 * LANGUAGES.length)
    expect(new Set(bodies).size).toBe(2 * LANGUAGES.length)
    bodies.forEach((body, index) => {
      expect(body).toBe(bodies[index - (index % 3)]!)
    })
  })

  test('a code is bound to the host alone, and a notice leads to the page wherever it is', async () => {
    const { url, requests } = recordingServer()
    const mailer = mailerAt(url, { publicUrl: 'http://localhost:3000' })
    await mailer.sendOtp(MAIL)
    await mailer.sendPaymentNotice(NOTICE)
    const [code, notice] = requests.map(({ body }) => JSON.parse(body).text)
    expect(code).toEndWith('\n@localhost #123456')
    expect(notice).toEndWith('\nhttp://localhost:3000/app')
  })
})

describe.each(SENDINGS)('%s', (_, send) => {
  test.each([400, 422, 429, 500, 503])('answered %d is an outage that may pass', async (status) => {
    const url = serve(() => refusal(status, 'some_error', 'Not today'))
    // 429 is waited for, where the time allows that. A second does not, and here nothing else takes time.
    using _ = stopTimers()
    const error = await failure(send(mailerAt(url, { timeoutMs: SECOND_MS })))
    expect(error).toMatchObject({ outage: 'email', answered: true, needsOperator: false })
    expect(causeOf(error)).toBe(`Resend: some_error (${status}): Not today`)
  })

  test.each([
    [401, 'missing_api_key', 'Missing API key in the authorization header'],
    [401, 'restricted_api_key', 'This API key is restricted to only send emails'],
    [403, 'invalid_api_key', 'API key is invalid'],
    [403, 'validation_error', 'The example.com domain is not verified'],
    [404, 'not_found', 'The requested endpoint does not exist'],
    [422, 'invalid_from_address', 'Invalid from field'],
  ])('answered %d %s needs an operator: %s', async (status, name, message) => {
    const url = serve(() => refusal(status, name, message))
    const error = await failure(send(mailerAt(url)))
    expect(error).toMatchObject({ outage: 'email', answered: true, setting: 'RESEND_API_KEY' })
    expect(causeOf(error)).toBe(`Resend: ${name} (${status}): ${message}`)
  })

  test.each([400, 422])(
    'answered %d about a field is refused for good, and is this mail’s alone',
    async (status) => {
      const url = serve(() => refusal(status, 'validation_error', 'Invalid to field'))
      const error = await failure(send(mailerAt(url)))
      expect(error).toMatchObject({ answered: true, needsOperator: false, isForGood: true })
    },
  )

  test.each<[string, () => Response]>([
    ['an error page', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
    ['an error without a word', () => Response.json(null, { status: 500 })],
    ['a success that is no JSON', () => new Response('ok')],
    ['a success without an id', () => Response.json({})],
    ['a success that is null', () => Response.json(null)],
  ])('answered with %s is an outage', async (_, answer) => {
    const error = await failure(send(mailerAt(serve(answer))))
    expect(error).toMatchObject({ outage: 'email', needsOperator: false })
  })

  test('to a server that cannot be reached is an outage without an answer', async () => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    const url = `http://127.0.0.1:${server.port}`
    await server.stop(true)
    const error = await failure(send(mailerAt(url)))
    expect(error).toMatchObject({ answered: false, needsOperator: false })
  })

  test('that is redirected is an outage, and the mail goes nowhere else', async () => {
    const strayed: string[] = []
    const elsewhere = serve(async (request) => {
      strayed.push(await request.text())
      return Response.json({ id: 'mail-1' })
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const url = serve(() => Response.redirect(`${elsewhere}/emails`, status))
      await failure(send(mailerAt(url)))
    }
    expect(strayed).toEqual([])
  })

  test.each<MailFault>(['hang', 'taken_hang', 'reset', 'taken_reset'])(
    'that meets a server with the fault %s is an outage without an answer, once the time is up',
    async (fault) => {
      const { mailbox } = openMailbox()
      mailbox.fault(fault)
      const sending = () => failure(send(mailerAt(mailbox.url)))
      const error = await (isSilent(fault)
        ? whenLate(PATIENCE_MS, sending, () => mailbox.mails.length === 1)
        : sending())
      expect(error).toMatchObject({ answered: false, needsOperator: false })
      expect(mailbox.mails.length).toBe(1)
    },
  )

  test('that meets a server that starts to answer and then hangs is an outage once the time is up', async () => {
    const body = () => new ReadableStream({ start: (stream) => stream.enqueue('{"id":') })
    const url = serve(() => new Response(body()))
    const error = await failure(send(mailerAt(url, { timeoutMs: 50 })))
    expect(error).toMatchObject({ answered: false, needsOperator: false })
  })

  test('that fails tells no address, code or key', async () => {
    const message = `no: anna@example.com <${FROM}> code 123456,\nkey ${KEY}`
    const url = serve(() => refusal(422, 'x', message))
    const said = causeOf(await failure(send(mailerAt(url))))
    expect(said).toStartWith('Resend: x (422): no: ')
    expect(said).not.toMatch(/@|123456|0123456789|\n/)
  })
})

describe('a payment notice that is sent again', () => {
  test.each<MailFault>(['down', 'hang', 'reset', 'taken_hang', 'taken_reset'])(
    'after the fault %s reaches its buyer once',
    async (fault) => {
      const { mailbox, clock } = openMailbox()
      const mailer = mailerAt(mailbox.url)
      mailbox.fault(fault, { times: 3 })
      for (let attempt = 1; attempt <= 3; attempt++) {
        const sending = () => failure(mailer.sendPaymentNotice(NOTICE))
        const hasCome = () => mailbox.mails.length === attempt
        await (isSilent(fault) ? whenLate(PATIENCE_MS, sending, hasCome) : sending())
        clock.advance(MINUTE_MS)
      }
      await mailer.sendPaymentNotice(NOTICE)
      await mailer.sendPaymentNotice(NOTICE)

      expect(mailbox.mails.length).toBe(5)
      expect(mailbox.delivered).toEqual([
        { from: FROM, to: NOTICE.to, ...NOTICE_WORDS, key: NOTICE.key },
      ])
    },
  )

  test('while the first is under way comes again later: it is not known yet how that one ends', async () => {
    const { mailbox } = openMailbox()
    const mailer = mailerAt(mailbox.url)
    const { arrived, release } = mailbox.hold()
    const first = mailer.sendPaymentNotice(NOTICE)
    await arrived
    const error = await failure(mailer.sendPaymentNotice(NOTICE))
    expect(error).toMatchObject({ outage: 'email', answered: false, needsOperator: false })
    expect(causeOf(error)).toStartWith('Resend: concurrent_idempotent_requests (409)')

    release()
    await first
    await mailer.sendPaymentNotice(NOTICE)
    expect(mailbox.delivered.length).toBe(1)
  })

  test('by a release with other words is sent already', async () => {
    const { mailbox } = openMailbox()
    const older = resendMailer({
      ...{ apiKey: KEY, baseUrl: mailbox.url, from: FROM, publicUrl: PUBLIC_URL },
      content: contentWith({ strings: content.in('en').strings }, content),
    })
    await older.sendPaymentNotice(NOTICE)
    await mailerAt(mailbox.url).sendPaymentNotice(NOTICE)

    expect(mailbox.mails.length).toBe(2)
    expect(mailbox.mails[0]?.text).not.toBe(mailbox.mails[1]?.text)
    expect(mailbox.delivered).toEqual([mailbox.mails[0]!])
  })

  test('is sent again once the provider has forgotten its key', async () => {
    const { mailbox, clock } = openMailbox()
    const mailer = mailerAt(mailbox.url)
    await mailer.sendPaymentNotice(NOTICE)
    clock.advance(DAY_MS - 1)
    await mailer.sendPaymentNotice(NOTICE)
    expect(mailbox.delivered.length).toBe(1)
    clock.advance(1)
    await mailer.sendPaymentNotice(NOTICE)
    expect(mailbox.delivered.length).toBe(2)
  })
})

test('notices under two keys are two mails, and codes are never held for the same one', async () => {
  const { mailbox } = openMailbox()
  const mailer = mailerAt(mailbox.url)
  await mailer.sendPaymentNotice(NOTICE)
  await mailer.sendPaymentNotice({ ...NOTICE, key: `${NOTICE.key}2` as OutboxKey })
  await mailer.sendOtp(MAIL)
  await mailer.sendOtp(MAIL)
  expect(mailbox.delivered.length).toBe(4)
})

test('a code without a key is never taken for one that was sent before', async () => {
  const url = serve(() => refusal(409, 'invalid_idempotent_request'))
  expect(await failure(mailerAt(url).sendOtp(MAIL))).toMatchObject({ answered: true })
})

describe('against the Resend emulator', () => {
  async function openEmulator() {
    const emulator = await createEmulator({ service: 'resend', port: 0 })
    cleanUps.push(() => emulator.close())
    const arrived = async () => {
      const response = await fetch(`${emulator.url}/emails`, {
        headers: { authorization: `Bearer ${KEY}` },
      })
      return ((await response.json()) as { data: unknown[] }).data
    }
    return { mailer: mailerAt(emulator.url), url: emulator.url, arrived }
  }

  test('a code arrives with its subject, both parts and the header', async () => {
    const { mailer, arrived } = await openEmulator()
    await mailer.sendOtp(MAIL)
    expect(await arrived()).toEqual([
      expect.objectContaining({ from: FROM, to: ['anna@example.com'], ...WORDS }),
    ])
  })

  test('a payment notice that is sent again arrives once, and so does one in other words', async () => {
    const { mailer, arrived } = await openEmulator()
    await mailer.sendPaymentNotice(NOTICE)
    await mailer.sendPaymentNotice(NOTICE)
    await mailer.sendPaymentNotice({ ...NOTICE, language: 'ar' })
    expect(await arrived()).toEqual([
      expect.objectContaining({ from: FROM, to: ['anna@example.com'], ...NOTICE_WORDS }),
    ])
  })
})
