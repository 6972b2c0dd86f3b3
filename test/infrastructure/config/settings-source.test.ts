import { describe, expect, test } from 'bun:test'
import { withoutSecrets } from '../../../application/error-report.ts'
import { loadConfig } from '../../../infrastructure/config/config.ts'
import { blamed, PRODUCTION, problemsOf, production } from '../../support/config-loading.ts'

describe('secrets', () => {
  const NAMES = ['JWT_SECRET', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'RESEND_API_KEY']
  const without = Object.fromEntries(NAMES.map((name) => [name, undefined]))

  test('come from files that the environment names', () => {
    const env = Object.fromEntries(NAMES.map((name) => [`${name}_FILE`, `/run/${name}`]))
    const files = Object.fromEntries(NAMES.map((name) => [`/run/${name}`, `${PRODUCTION[name]}\n`]))
    expect(production({ ...without, ...env }, files)).toEqual(production())
  })

  test('come from the credentials directory', () => {
    const files = Object.fromEntries(
      NAMES.map((name) => [`/creds/${name}`, PRODUCTION[name] ?? '']),
    )
    const env = { ...without, CREDENTIALS_DIRECTORY: '/creds' }
    expect(production(env, files)).toEqual(production())
  })

  test('a database URL and a previous secret may come from files, too', () => {
    const files = {
      '/creds/DATABASE_URL': 'sqlite:x.db\n',
      '/creds/JWT_SECRET_PREVIOUS': 'o'.repeat(32),
    }
    const config = production({ CREDENTIALS_DIRECTORY: '/creds' }, files)
    expect(config.database).toEqual({ kind: 'sqlite', path: 'x.db' })
    expect(config.jwtSecretPrevious).toBe('o'.repeat(32))
  })

  test('are in no foreign words any more once they were read, from wherever they come', () => {
    production(
      {
        JWT_SECRET: undefined,
        JWT_SECRET_FILE: '/s',
        STRIPE_WEBHOOK_SECRET: 'whsec_rolledOut, whsec_rolledIn',
        SMTP_URL: 'smtp://bob:mail%20%40%20home@mail.example.com',
        EMAIL_PROVIDER: 'resend',
        DATABASE_URL: 'postgres://bob:base%2Fment@db.example.com/shop?password=inTheQuery',
      },
      { '/s': 'the secret of a file, long enough\n' },
    )
    const words = [
      'the secret of a file, long enough',
      'whsec_rolledOut',
      'whsec_rolledIn',
      'mail @ home',
      'mail%20%40%20home',
      'base/ment',
      'inTheQuery',
    ]
    for (const secret of words) expect(withoutSecrets(`no: ${secret}!`)).toBe('no: […]!')
    expect(withoutSecrets('bob of shop at db.example.com')).toBe('bob of shop at db.example.com')
  })

  test.each(['%\n', '%\r\n', '%\n\n', '%\r\n \r\n', ' \t%', '\u{feff}%', '\u{feff}%\r\n'])(
    'are in a file without what editors and shells leave around them: %j',
    (around) => {
      const files = Object.fromEntries(
        NAMES.map((name) => [`/creds/${name}`, around.replace('%', PRODUCTION[name] ?? '')]),
      )
      const env = { ...without, CREDENTIALS_DIRECTORY: '/creds' }
      expect(production(env, files)).toEqual(production())
    },
  )

  test('keep the white space and the line breaks within them', () => {
    const secret = 'a secret of several words\nand of two lines'
    const env = { JWT_SECRET: undefined, JWT_SECRET_FILE: '/s' }
    expect(production(env, { '/s': ` ${secret}\n` }).jwtSecret).toBe(secret)
  })

  test.each([
    [{ JWT_SECRET_FILE: '/s' }, { '/s': 'x'.repeat(40) }],
    [{ CREDENTIALS_DIRECTORY: '/creds' }, { '/creds/JWT_SECRET': 'x'.repeat(40) }],
    [
      { JWT_SECRET: undefined, JWT_SECRET_FILE: '/s', CREDENTIALS_DIRECTORY: '/creds' },
      { '/s': 'x'.repeat(40), '/creds/JWT_SECRET': 'x'.repeat(40) },
    ],
  ])('a second source for the same secret is refused: %j', (env, files) => {
    const problems = problemsOf(() => production(env, files))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toStartWith('JWT_SECRET has more than one source')
  })

  test('a file that cannot be read is the only complaint about its secret', () => {
    const env = { JWT_SECRET: undefined, JWT_SECRET_FILE: '/missing' }
    expect(problemsOf(() => production(env))).toEqual([
      'JWT_SECRET_FILE must be a readable file of UTF-8 text',
    ])
  })

  test('a credential that is there but cannot be read is a problem', () => {
    const readFile = (path: string) => {
      const code = path === '/creds/RESEND_API_KEY' ? 'EACCES' : 'ENOENT'
      throw Object.assign(new Error('refused'), { code })
    }
    const env = { ...PRODUCTION, RESEND_API_KEY: undefined, CREDENTIALS_DIRECTORY: '/creds' }
    expect(blamed(() => loadConfig({ env, readFile }))).toEqual([
      '$CREDENTIALS_DIRECTORY/RESEND_API_KEY',
    ])
  })

  test('credentials that only root may read are complained of each by its name, and by nothing else', () => {
    const readFile = () => {
      throw Object.assign(new Error('refused'), { code: 'EACCES' })
    }
    const env = { ...PRODUCTION, CREDENTIALS_DIRECTORY: '/creds' }
    const problems = problemsOf(() => loadConfig({ env, readFile }))
    expect(problems.length).toBeGreaterThan(NAMES.length)
    for (const problem of problems) {
      expect(problem).toMatch(
        /^\$CREDENTIALS_DIRECTORY\/\w+ must be a readable file of UTF-8 text$/,
      )
    }
  })

  test('random bytes that are no text are refused, since most of them would be lost', () => {
    const env = { JWT_SECRET: undefined, JWT_SECRET_FILE: '/s' }
    const bytes = new TextDecoder().decode(new Uint8Array(48).fill(0xff))
    expect(blamed(() => production(env, { '/s': bytes }))).toEqual(['JWT_SECRET_FILE'])
  })

  test('an empty file counts as not set', () => {
    const env = { JWT_SECRET: undefined, JWT_SECRET_FILE: '/s' }
    for (const blank of ['\n', '\u{feff}', ' \r\n\r\n']) {
      expect(blamed(() => production(env, { '/s': blank }))).toEqual(['JWT_SECRET'])
    }
    expect(blamed(() => production({ JWT_SECRET_FILE: '/s' }, { '/s': '' }))).toEqual([])
  })

  test('what is no secret is not looked for in files', () => {
    const env = { PORT_FILE: '/port', CREDENTIALS_DIRECTORY: '/creds' }
    expect(production(env, { '/port': '81', '/creds/PORT': '82' }).port).toBe(3000)
  })
})

test('a variable that is not UTF-8 is refused, and its value is not told', () => {
  const latin1 = (text: string) => new TextDecoder().decode(Buffer.from(text, 'latin1'))
  const env = { EMAIL_FROM: latin1('Grüße <a@example.com>'), PREMIUM_NAME: latin1('Grüße') }
  const problems = problemsOf(() => production(env))
  expect(problems).toEqual([
    expect.stringMatching(/^PREMIUM_NAME must be UTF-8 text: /),
    expect.stringMatching(/^EMAIL_FROM must be UTF-8 text: /),
  ])
  expect(problems.join()).not.toContain('Gr')
})
