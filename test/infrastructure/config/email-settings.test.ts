import { describe, expect, test } from 'bun:test'
import { blamed, development, problemsOf, production } from '../../support/config-loading.ts'

describe('who sends the mail', () => {
  test('a Resend key switches development to Resend, and EMAIL_PROVIDER overrules it', () => {
    const resend = { RESEND_API_KEY: 're_1' }
    expect(development(resend).email).toEqual({ provider: 'resend', apiKey: 're_1', baseUrl: null })
    expect(development({ ...resend, EMAIL_PROVIDER: 'console' }).email.provider).toBe('console')
    expect(blamed(() => development({ EMAIL_PROVIDER: 'resend' }))).toEqual(['RESEND_API_KEY'])
  })
  test('SMTP_URL switches to SMTP, in production and in development', () => {
    const smtp = { SMTP_URL: 'smtp://mail.example.com', RESEND_API_KEY: undefined }
    const server = {
      host: 'mail.example.com',
      port: 587,
      tls: 'offered' as const,
      credentials: null,
    }
    for (const load of [production, development]) {
      expect(load(smtp).email).toEqual({ provider: 'smtp', server })
    }
    expect(development({ ...smtp, EMAIL_PROVIDER: 'console' }).email.provider).toBe('console')
    expect(blamed(() => production({ EMAIL_PROVIDER: 'smtp' }))).toEqual(['SMTP_URL'])
  })

  test('of two secrets EMAIL_PROVIDER says which one counts, and without it that is a problem', () => {
    const both = { SMTP_URL: 'smtp://mail.example.com' }
    expect(production({ ...both, EMAIL_PROVIDER: 'smtp' }).email.provider).toBe('smtp')
    expect(production({ ...both, EMAIL_PROVIDER: 'resend' }).email.provider).toBe('resend')
    for (const load of [production, development]) {
      expect(problemsOf(() => load({ RESEND_API_KEY: 're_1', ...both }))).toEqual([
        'SMTP_URL and RESEND_API_KEY are both set: say in EMAIL_PROVIDER which one is used',
      ])
    }
  })

  test('production without a secret asks for either', () => {
    expect(problemsOf(() => production({ RESEND_API_KEY: undefined }))).toEqual([
      'RESEND_API_KEY is required: a Resend API key, re_…, or SMTP_URL for any other mail server',
    ])
  })

  test('SMTP_URL comes as a variable, as a file and as a credential', () => {
    const files = { '/run/creds/SMTP_URL': 'smtps://u:p%40%3A%2F%25@mail.example.com\n' }
    const around = { RESEND_API_KEY: undefined }
    const server = {
      ...{ host: 'mail.example.com', port: 465, tls: 'first' as const },
      credentials: { user: 'u', password: 'p@:/%' },
    }
    for (const from of [
      { SMTP_URL: 'smtps://u:p%40%3A%2F%25@mail.example.com' },
      { SMTP_URL_FILE: '/run/creds/SMTP_URL' },
      { CREDENTIALS_DIRECTORY: '/run/creds' },
    ]) {
      expect(production({ ...around, ...from }, files).email).toEqual({ provider: 'smtp', server })
    }
  })
})

describe('SMTP_URL', () => {
  test('says by its scheme what TLS is wanted, and the usual port', () => {
    const schemes = { smtp: 'offered 587', 'smtp+tls': 'required 587', smtps: 'first 465' }
    for (const [scheme, expected] of Object.entries(schemes)) {
      const SMTP_URL = `${scheme}://mail.example.com`
      const { email } = production({ RESEND_API_KEY: undefined, SMTP_URL })
      expect(email.provider === 'smtp' && `${email.server.tls} ${email.server.port}`).toBe(expected)
    }
  })

  const read = (SMTP_URL: string) =>
    problemsOf(() => production({ RESEND_API_KEY: undefined, SMTP_URL }))

  test.each([
    'smtp://localhost',
    'smtp://127.0.0.1:25',
    'smtp://[::1]:25',
    'smtps://user%40example.com:pa:ss@MAIL.example.com:465/',
  ])('may be %s', (url) => {
    expect(read(url)).toEqual([])
  })

  test.each([
    'mail.example.com',
    'https://mail.example.com',
    'smtp://',
    'smtp://user@mail.example.com',
    'smtp://user:@mail.example.com',
    'smtp://user:p/w@mail.example.com',
    'smtp://user:p%zz@mail.example.com',
    'smtp://user:p%0a@mail.example.com',
    'smtp://mail.example.com:0',
    'smtp://mail.example.com:65536',
    'smtp://[::g]',
    'smtp://mail.example.com?tls=no',
    'smtp://a@b@mail.example.com',
  ])('may not be %s, and one line says what it must be', (url) => {
    const problems = read(url)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toStartWith('SMTP_URL must be smtp://USER:PASSWORD@HOST:PORT, smtp+tls://')
  })
})
