import { afterEach, describe, expect, test } from 'bun:test'
import { createEmulator } from 'emulate'
import type { OtpMail } from '../../application/ports.ts'
import { Unavailable } from '../../application/unavailable.ts'
import type { Email } from '../../domain/email.ts'
import type { OtpCode } from '../../domain/otp.ts'
import { builtInContent } from '../../infrastructure/content.ts'
import { otpEmail } from '../../infrastructure/otp-email.ts'
import { resendMailer } from '../../infrastructure/resend-mailer.ts'

const content = builtInContent()
const KEY = 're_0123456789'
const FROM = 'Alibi <no-reply@example.com>'
const HOST = 'alibi.example.com'

const MAIL: OtpMail = {
  to: 'anna@example.com' as Email,
  code: '123456' as OtpCode,
  language: 'sv',
  validForMs: 600_000,
}
const WORDS = otpEmail({ ...MAIL, host: HOST, strings: content.strings('sv') })

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

function serve(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  cleanUps.push(() => server.stop(true))
  return `http://127.0.0.1:${server.port}`
}

const mailerAt = (baseUrl: string, timeoutMs?: number) =>
  resendMailer({
    ...{ apiKey: KEY, baseUrl, from: FROM, content, host: HOST },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })

async function failure(sending: Promise<void>): Promise<Unavailable> {
  const error = await sending.then(() => null).catch((reason: unknown) => reason)
  if (error instanceof Unavailable) return error
  throw new Error(`not an outage: ${error}`)
}

const causeOf = ({ cause }: Unavailable) => (cause instanceof Error ? cause.message : '')

describe('against a server of our own', () => {
  test('the mail goes out once, with the key, the sender, both parts and the header', async () => {
    const requests: { path: string; key: string | null; body: unknown }[] = []
    const url = serve(async (request) => {
      const key = request.headers.get('authorization')
      requests.push({ path: new URL(request.url).pathname, key, body: await request.json() })
      return Response.json({ id: 'mail-1' })
    })
    await mailerAt(url).sendOtp(MAIL)

    const body = { from: FROM, to: 'anna@example.com', ...WORDS }
    expect(requests).toEqual([{ path: '/emails', key: `Bearer ${KEY}`, body }])
  })

  test.each([401, 403, 422, 429, 500, 503])(
    'an answer %d is an outage that answered',
    async (status) => {
      const refusal = {
        statusCode: status,
        name: 'some_error',
        message: 'The domain is not verified',
      }
      const url = serve(() => Response.json(refusal, { status }))
      const error = await failure(mailerAt(url).sendOtp(MAIL))
      expect(error).toMatchObject({ outage: 'email', answered: true })
      expect(causeOf(error)).toBe(`Resend: some_error (${status}): The domain is not verified`)
    },
  )

  test.each<[string, () => Response]>([
    ['an error page', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
    ['an error without a word', () => Response.json(null, { status: 500 })],
    ['a success that is no JSON', () => new Response('ok')],
    ['a success without an id', () => Response.json({})],
    ['a success that is null', () => Response.json(null)],
  ])('%s is an outage', async (_, answer) => {
    expect((await failure(mailerAt(serve(answer)).sendOtp(MAIL))).outage).toBe('email')
  })

  test('a server that cannot be reached is an outage without an answer', async () => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    const url = `http://127.0.0.1:${server.port}`
    await server.stop(true)
    expect(await failure(mailerAt(url).sendOtp(MAIL))).toMatchObject({ answered: false })
  })

  test('a redirect is an outage, and the mail goes nowhere else', async () => {
    const strayed: string[] = []
    const elsewhere = serve(async (request) => {
      strayed.push(await request.text())
      return Response.json({ id: 'mail-1' })
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const url = serve(() => Response.redirect(`${elsewhere}/emails`, status))
      await failure(mailerAt(url).sendOtp(MAIL))
    }
    expect(strayed).toEqual([])
  })

  test('a server that hangs is an outage once the time is up', async () => {
    const url = serve(() => new Promise<Response>(() => {}))
    expect(await failure(mailerAt(url, 50).sendOtp(MAIL))).toMatchObject({ answered: false })
  })

  test('a server that starts to answer and then hangs is an outage once the time is up', async () => {
    const body = () => new ReadableStream({ start: (stream) => stream.enqueue('{"id":') })
    const url = serve(() => new Response(body()))
    expect(await failure(mailerAt(url, 50).sendOtp(MAIL))).toMatchObject({ answered: false })
  })

  test('what is said of a failure tells no address, code or key', async () => {
    const message = `no: anna@example.com <${FROM}> code 123456,\nkey ${KEY}`
    const url = serve(() => Response.json({ statusCode: 422, name: 'x', message }, { status: 422 }))
    const said = causeOf(await failure(mailerAt(url).sendOtp(MAIL)))
    expect(said).toStartWith('Resend: x (422): no: ')
    expect(said).not.toMatch(/@|123456|0123456789|\n/)
  })
})

describe('against the Resend emulator', () => {
  test('the mail arrives with its subject, both parts and the header', async () => {
    const emulator = await createEmulator({ service: 'resend', port: 0 })
    cleanUps.push(() => emulator.close())
    await mailerAt(emulator.url).sendOtp(MAIL)

    const response = await fetch(`${emulator.url}/emails`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    const { data } = (await response.json()) as { data: unknown[] }
    expect(data).toEqual([
      expect.objectContaining({ from: FROM, to: ['anna@example.com'], ...WORDS }),
    ])
  })
})
