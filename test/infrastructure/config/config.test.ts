import { describe, expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS } from '../../../domain/duration.ts'
import { loadDatabaseConfig, loadListenAddress } from '../../../infrastructure/config/config.ts'
import { sqlitePathOf } from '../../../infrastructure/config/sqlite-path.ts'
import {
  blamed,
  development,
  load,
  problemsOf,
  production,
  readFrom,
} from '../../support/config-loading.ts'

describe('defaults', () => {
  test('development needs no setting at all', () => {
    expect(development()).toEqual({
      environment: 'development',
      host: '127.0.0.1',
      port: 3000,
      publicUrl: null,
      isIndexed: true,
      database: { kind: 'sqlite', path: './data/alibi.db' },
      backup: null,
      jwtSecret: null,
      jwtSecretPrevious: null,
      tokenLifetimeMs: 30 * DAY_MS,
      otpLifetimeMs: 600_000,
      verificationLifetimeMs: 1_800_000,
      payment: {
        provider: 'sandbox',
        price: { amount: 400, currency: 'eur' },
        productName: 'Alibi Premium',
      },
      refundDuplicates: true,
      allowPromotionCodes: false,
      amountMin: 0,
      email: { provider: 'console' },
      emailFrom: 'Alibi <no-reply@localhost>',
      mailLimit: { limit: 300, windowMs: 60 * MINUTE_MS },
      corsOrigins: '*',
      trustedProxies: [],
      isTrustedProxy: expect.any(Function),
      rateLimits: {
        general: { limit: 10, windowMs: 900_000 },
        auth: { limit: 5, windowMs: 900_000 },
        premium: { limit: 30, windowMs: MINUTE_MS },
      },
      contentDir: null,
      metricsPort: null,
      logLevel: 'info',
      logFormat: 'pretty',
    })
  })

  test('production is what runs unless APP_ENV says otherwise', () => {
    const { environment, publicUrl, payment, email, emailFrom, logFormat } = production()
    expect({ environment, publicUrl, payment, email, emailFrom, logFormat }).toEqual({
      environment: 'production',
      publicUrl: 'https://alibi.example.com',
      payment: {
        provider: 'stripe',
        secretKey: 'sk_live_0123456789',
        webhookSecrets: ['whsec_0123456789'],
        apiUrl: null,
        product: { price: { amount: 400, currency: 'eur' }, name: 'Alibi Premium' },
        terms: { managedPayments: false, tax: false, invoices: false, taxCode: null },
      },
      email: { provider: 'resend', apiKey: 're_0123456789', baseUrl: null },
      emailFrom: 'Alibi <no-reply@example.com>',
      logFormat: 'json',
    })
  })

  test('an empty setting counts as not set', () => {
    const names = ['PORT', 'JWT_SECRET', 'STRIPE_SECRET_KEY', 'SMTP_URL', 'METRICS_PORT']
    const empty = Object.fromEntries(names.map((name) => [name, '']))
    expect(development(empty)).toEqual(development())
  })

  test('an unknown variable is ignored', () => {
    expect(development({ HOME: '/root', STRIPE_COLOUR: 'blue' })).toEqual(development())
  })
})

describe('problems', () => {
  test('come in the order of the page on settings', () => {
    const wrong = { PORT: 'x', PUBLIC_URL: 'x', CORS_ORIGINS: 'x', TRUSTED_PROXIES: 'x' }
    const names = problemsOf(() => development(wrong)).map((problem) => problem.split(' ')[0])
    expect(names).toEqual(['PORT', 'PUBLIC_URL', 'CORS_ORIGINS', 'TRUSTED_PROXIES'])
  })

  test('everything that production lacks is named at once', () => {
    expect(blamed(() => load({}))).toEqual([
      'PUBLIC_URL',
      'JWT_SECRET',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
      'RESEND_API_KEY',
      'EMAIL_FROM',
    ])
  })

  test('missing and malformed settings are named together', () => {
    const wrong = {
      PUBLIC_URL: undefined,
      PORT: '80000',
      OTP_TTL: '0m',
      TOKEN_TTL: 'soon',
    }
    expect(blamed(() => production(wrong)).toSorted()).toEqual(Object.keys(wrong).toSorted())
  })

  test('every problem is one line and says what the setting must look like', () => {
    const problems = problemsOf(() => load({ PORT: 'abc', OTP_TTL: 'soon' }))
    for (const problem of problems)
      expect(problem).toMatch(/^[A-Z_]+ (must be|is required:) \P{Cc}+$/u)
    expect(problems).toContain('PORT must be a whole number from 0 to 65535')
  })

  test('no problem tells a value', () => {
    const canary = 'canary-7f3a'
    const names = [
      ...['APP_ENV', 'HOST', 'PORT', 'PUBLIC_URL', 'DATABASE_URL', 'JWT_SECRET', 'SMTP_URL'],
      ...['JWT_SECRET_PREVIOUS', 'TOKEN_TTL', 'PAYMENT_PROVIDER', 'STRIPE_SECRET_KEY'],
      ...['STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL', 'STRIPE_PRICE_ID', 'PREMIUM_PRICE'],
      ...['PREMIUM_CURRENCY', 'EMAIL_PROVIDER', 'RESEND_API_KEY', 'RESEND_BASE_URL', 'EMAIL_FROM'],
      ...['CORS_ORIGINS', 'TRUSTED_PROXIES', 'RATE_LIMIT_AUTH', 'MAIL_LIMIT', 'METRICS_PORT'],
      ...[
        'ALLOW_PUBLIC_DEVELOPMENT',
        'REFUND_DUPLICATES',
        'ALLOW_PROMOTION_CODES',
        'STRIPE_MANAGED_PAYMENTS',
        'STRIPE_TAX',
        'STRIPE_INVOICES',
        'PRODUCT_TAX_CODE',
        'PREMIUM_MIN_AMOUNT',
        'LOG_LEVEL',
        'LOG_FORMAT',
      ],
    ]
    const wrong = Object.fromEntries(names.map((name) => [name, `${canary} @`]))
    const problems = problemsOf(() => load(wrong))

    expect(problems.length).toBeGreaterThan(names.length - 3)
    expect(problems.join('\n')).not.toContain(canary)
  })

  test('METRICS_PORT is another port than PORT, but both may ask for a free one', () => {
    const problem = 'METRICS_PORT must be another port than PORT, which everybody reaches'
    expect(problemsOf(() => development({ METRICS_PORT: '3000' }))).toEqual([problem])
    expect(problemsOf(() => development({ PORT: '81', METRICS_PORT: '81' }))).toEqual([problem])
    expect(development({ PORT: '0', METRICS_PORT: '0' }).metricsPort).toBe(0)
    expect(development({ METRICS_PORT: '9464' }).metricsPort).toBe(9464)
    expect(blamed(() => development({ METRICS_PORT: '70000' }))).toEqual(['METRICS_PORT'])
  })
})

describe('the database', () => {
  test('lives in the first of the state directories that systemd lists', () => {
    const path = (STATE_DIRECTORY: string) =>
      sqlitePathOf(development({ STATE_DIRECTORY }).database)
    expect(path('/var/lib/alibi')).toBe('/var/lib/alibi/alibi.db')
    expect(path('/var/lib/alibi:/var/lib/other')).toBe('/var/lib/alibi/alibi.db')
  })

  test('is where DATABASE_URL says, whatever the state directory', () => {
    const env = { STATE_DIRECTORY: '/var/lib/alibi', DATABASE_URL: 'sqlite:here.db' }
    expect(sqlitePathOf(development(env).database)).toBe('here.db')
  })
})

describe('commands that need little', () => {
  const readFile = readFrom({})

  test('the database is found without the settings that serving takes', () => {
    expect(loadDatabaseConfig({ env: { DATABASE_URL: 'sqlite:x.db' }, readFile })).toEqual({
      kind: 'sqlite',
      path: 'x.db',
    })
    expect(blamed(() => loadDatabaseConfig({ env: { DATABASE_URL: 'x.db' }, readFile }))).toEqual([
      'DATABASE_URL',
    ])
  })

  test('the address is found without the settings that serving takes', () => {
    expect(loadListenAddress({ env: { HOST: '::', PORT: '81' }, readFile })).toEqual({
      host: '::',
      port: 81,
    })
    expect(blamed(() => loadListenAddress({ env: { PORT: 'x' }, readFile }))).toEqual(['PORT'])
  })
})
