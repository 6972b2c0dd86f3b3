import { afterEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openProduction, type Production, SECRETS } from '../support/executable/production.ts'
import { walkTheWholeWay } from '../support/journey.ts'
import { listens, quietPort } from '../support/quiet-port.ts'

const EXIT_WRONG_SETTINGS = 78

describe('a start with wrong settings', () => {
  test('names everything that is missing, one line each, and serves nothing', async () => {
    await using production = await openProduction()
    const port = await quietPort()
    const outcome = await production.run(['serve'], { PORT: String(port) })
    expect(outcome.exitCode).toBe(EXIT_WRONG_SETTINGS)
    expect(outcome.stdout).toBe('')
    const lines = outcome.stderr.trimEnd().split('\n')
    expect(lines.map((line) => /^alibi: (\w+) is required: ./.exec(line)?.[1]).toSorted()).toEqual([
      'EMAIL_FROM',
      'JWT_SECRET',
      'PUBLIC_URL',
      'RESEND_API_KEY',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
    ])
    expect(await listens(port)).toBe(false)
    expect(readdirSync(production.state)).toEqual([])
    expect(readdirSync(production.folder)).toEqual(['state'])
  })

  test('names everything that is malformed at once, and tells no value', async () => {
    await using production = await openProduction()
    const port = await quietPort()
    const wrong = {
      PUBLIC_URL: 'http://alibi.example/bad-PUBLIC_URL',
      HOST: 'bad HOST',
      DATABASE_URL: 'mysql://bad-DATABASE_URL',
      JWT_SECRET: 'bad-JWT_SECRET',
      JWT_SECRET_PREVIOUS: 'bad-JWT_PREVIOUS',
      TOKEN_TTL: '0d',
      OTP_TTL: 'bad-OTP_TTL',
      VERIFICATION_TTL: '-1m',
      PAYMENT_PROVIDER: 'sandbox',
      STRIPE_SECRET_KEY: 'bad-STRIPE_SECRET_KEY',
      STRIPE_WEBHOOK_SECRET: 'whsec_ok,bad-STRIPE_WEBHOOK_SECRET',
      STRIPE_API_URL: 'http://bad-STRIPE_API_URL.example',
      PREMIUM_PRICE: '0',
      PREMIUM_CURRENCY: 'bad-CURRENCY',
      PREMIUM_NAME: 'bad\nPREMIUM_NAME',
      REFUND_DUPLICATES: 'bad-REFUND',
      ALLOW_PROMOTION_CODES: 'yes',
      EMAIL_PROVIDER: 'console',
      RESEND_API_KEY: 'bad-RESEND_API_KEY',
      RESEND_BASE_URL: 'bad-RESEND_BASE_URL',
      EMAIL_FROM: 'bad-EMAIL_FROM',
      CORS_ORIGINS: 'bad-CORS_ORIGINS',
      TRUSTED_PROXIES: 'bad-TRUSTED_PROXIES',
      MAIL_LIMIT: 'bad-MAIL_LIMIT',
      RATE_LIMIT_GENERAL: 'bad-RATE',
      RATE_LIMIT_AUTH: '0/15m',
      RATE_LIMIT_PREMIUM: '30/0m',
      LOG_LEVEL: 'bad-LOG_LEVEL',
      LOG_FORMAT: 'bad-LOG_FORMAT',
    }
    const outcome = await production.run(['serve'], { PORT: String(port), ...wrong })
    expect(outcome).toMatchObject({ exitCode: EXIT_WRONG_SETTINGS, stdout: '' })
    const lines = outcome.stderr.trimEnd().split('\n')
    expect(lines.map((line) => /^alibi: (\w+) must be ./.exec(line)?.[1]).toSorted()).toEqual(
      Object.keys(wrong).toSorted(),
    )
    expect(outcome.stderr).not.toContain('bad')
    expect(await listens(port)).toBe(false)
    expect(readdirSync(production.state)).toEqual([])
  })

  test.each(['PORT', 'APP_ENV'])('refuses a malformed %s', async (name) => {
    await using production = await openProduction()
    const outcome = await production.run(['serve'], { ...production.settings, [name]: 'bad' })
    expect(outcome).toMatchObject({ exitCode: EXIT_WRONG_SETTINGS, stdout: '' })
    expect(outcome.stderr).toMatch(new RegExp(`^alibi: ${name} must be .+\n$`))
  })

  test('refuses a malformed SMTP_URL, also where Resend is used', async () => {
    await using production = await openProduction()
    const outcome = await production.run(['serve'], {
      ...production.settings,
      ...{ EMAIL_PROVIDER: 'resend', SMTP_URL: '1' },
    })
    expect(outcome).toMatchObject({ exitCode: EXIT_WRONG_SETTINGS, stdout: '' })
    expect(outcome.stderr).toMatch(/^alibi: SMTP_URL must be smtp:.+\n$/)
  })

  test('refuses two sources for one secret', async () => {
    await using production = await openProduction()
    const file = join(production.folder, 'secret')
    writeFileSync(file, SECRETS.JWT_SECRET)
    const env = { ...production.settings, JWT_SECRET_FILE: file }
    const outcome = await production.run(['serve'], env)
    expect(outcome).toMatchObject({ exitCode: EXIT_WRONG_SETTINGS, stdout: '' })
    expect(outcome.stderr).toContain('JWT_SECRET has more than one source')
    expect(outcome.stderr).not.toContain(SECRETS.JWT_SECRET)
  })

  test.each([
    ['an --env-file that is not there', ['serve', '--env-file', 'nowhere.env'], {}, 'nowhere.env'],
    [
      'a secret’s file that is not there',
      ['serve'],
      { JWT_SECRET_FILE: 'nowhere' },
      'JWT_SECRET_FILE',
    ],
  ])('refuses %s', async (_, parameters, own, named) => {
    await using production = await openProduction()
    const { JWT_SECRET, ...env } = production.settings
    const outcome = await production.run(parameters, { ...env, ...own })
    expect(outcome).toMatchObject({ exitCode: EXIT_WRONG_SETTINGS, stdout: '' })
    expect(outcome.stderr).toContain(named)
  })
})

describe('a settings file that is not UTF-8', () => {
  test('is refused by its lines, and serves nothing', async () => {
    await using production = await openProduction()
    const file = join(production.folder, 'alibi.env')
    writeFileSync(
      file,
      '# f\xfcr uns\nPORT=0\nEMAIL_FROM=Gr\xfc\xdfe <a@alibi.example>\n',
      'latin1',
    )
    const outcome = await production.run(['serve', '--env-file', file], {})
    expect(outcome).toMatchObject({ exitCode: EXIT_WRONG_SETTINGS, stdout: '' })
    const lines = [1, 3].map(
      (line) => `alibi: --env-file: ${file}, line ${line}: must be UTF-8 text\n`,
    )
    expect(outcome.stderr).toBe(lines.join(''))
  })
})

describe('settings come', () => {
  const productions: Production[] = []
  afterEach(async () => {
    for (const production of productions.splice(0)) await production[Symbol.asyncDispose]()
  })

  /** The settings of a production, those that are secret apart from the others. */
  async function openApart() {
    const production = await openProduction()
    productions.push(production)
    const open = { ...production.settings } as Record<string, string>
    const secret: Record<string, string> = { DATABASE_URL: production.settings.DATABASE_URL }
    for (const name of Object.keys(SECRETS)) secret[name] = open[name] ?? ''
    for (const name of Object.keys(secret)) delete open[name]
    return { production, open, secret }
  }

  /** Every one of the secrets is needed on the way, and each by somebody who knows it too. */
  async function expectToWork(production: Production, start: Parameters<Production['start']>[0]) {
    const alibi = await production.start(start)
    const email = 'buyer@example.com'
    const token = await walkTheWholeWay({
      url: alibi.url,
      email,
      readCode: () => production.mailbox.latestCode(email),
      async pay({ sessionId }) {
        production.double.pay(sessionId)
        expect(new Set(await production.double.deliverAll())).toEqual(new Set([200]))
      },
    })
    const [header, claims, signature] = token.split('.')
    const hmac = createHmac('sha256', SECRETS.JWT_SECRET).update(`${header}.${claims}`)
    expect(hmac.digest('base64url')).toBe(String(signature))
    expect([...production.mailbox.keys]).toEqual([`Bearer ${SECRETS.RESEND_API_KEY}`])
    expect(await alibi.stop()).toBe(0)
    expect(readdirSync(production.state)).toEqual(['alibi.db'])
  }

  test('from files that NAME_FILE names', async () => {
    const { production, open, secret } = await openApart()
    const env = { ...open }
    for (const [name, value] of Object.entries(secret)) {
      const path = join(production.folder, `${name}.txt`)
      writeFileSync(path, `\u{feff}${value}\r\n\r\n`)
      env[`${name}_FILE`] = path
    }
    await expectToWork(production, { env })
  })

  test('from the credentials of a service manager', async () => {
    const { production, open, secret } = await openApart()
    const directory = join(production.folder, 'credentials')
    mkdirSync(directory)
    for (const [name, value] of Object.entries(secret)) writeFileSync(join(directory, name), value)
    await expectToWork(production, { env: { ...open, CREDENTIALS_DIRECTORY: directory } })
  })

  test('from a settings file, over which the environment wins', async () => {
    const { production, open, secret } = await openApart()
    const lines = Object.entries({ ...open, ...secret, PORT: '1', EMAIL_FROM: 'wrong@example.com' })
    const file = join(production.folder, 'alibi.env')
    writeFileSync(
      file,
      `# all of it\n${lines.map(([name, value]) => `${name}="${value}"`).join('\n')}\n`,
    )
    const command = [production.executable, '--env-file', file]
    await expectToWork(production, { command, env: { EMAIL_FROM: 'Alibi <right@example.com>' } })
    expect(production.mailbox.mails).not.toEqual([])
    for (const mail of production.mailbox.mails) {
      expect(mail).toMatchObject({ from: 'Alibi <right@example.com>' })
    }
  })
})

describe('a PostgreSQL', () => {
  const URL = 'postgres://alibi:canary7f3a@127.0.0.1:1/alibi'

  test.each([['backup'], ['restore']])('is left to its own tools by %s', async (command) => {
    await using production = await openProduction()
    expect(await production.run([command, 'x.db'], { DATABASE_URL: URL })).toMatchObject({
      exitCode: EXIT_WRONG_SETTINGS,
      stdout: '',
      stderr:
        'alibi: DATABASE_URL names a PostgreSQL, which is backed up and restored by its own tools: pg_dump and pg_restore, or pg_basebackup with an archive of its WAL\n',
    })
    expect(readdirSync(production.folder)).toEqual(['state'])
  })

  test('is refused by its name alone where its URL is wrong', async () => {
    await using production = await openProduction()
    const DATABASE_URL = `${URL}?canary7f3a=1`
    const outcomes = [['serve'], ['migrate'], ['backup', 'x.db'], ['doctor', '--offline']].map(
      (command) => production.run(command, { DATABASE_URL }),
    )
    for (const { exitCode, stdout, stderr } of await Promise.all(outcomes)) {
      expect(exitCode).not.toBe(0)
      expect(stdout + stderr).toContain('DATABASE_URL must have no other parameters than ')
      expect(stdout + stderr).not.toContain('canary7f3a')
    }
  })
})
