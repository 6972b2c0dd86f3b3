import { describe, expect, test } from 'bun:test'
import { blamed, development, production } from '../../support/config-loading.ts'

describe('single settings', () => {
  // Each row is one setting, values that are taken and values that are refused.
  test.each<[string, string[], string[]]>([
    ['APP_ENV', ['production'], ['prod', 'Production', 'staging', 'test', ' production']],
    [
      'HOST',
      ['0.0.0.0', '::', '::1', 'localhost', 'alibi.internal'],
      ['*', '1.2.3', '[::1]', 'a b', '-a'],
    ],
    ['PORT', ['0', '80', '65535'], ['-1', '65536', '3000 ', '0x50', '08', '1e3', '3000.0', 'http']],
    [
      'PUBLIC_URL',
      [
        'https://a.example',
        'https://a.example/',
        'https://a.example:8443',
        'http://localhost:3000',
        'http://127.9.8.7',
        'http://[::1]:3000',
      ],
      [
        'http://a.example',
        'a.example',
        'https://a.example/path',
        'https://a.example?x=1',
        'https://a.example#x',
        'https://user:pass@a.example',
        'https://',
        'ftp://a.example',
        'https://a.example\n',
        'http://localhost.example',
        'https://a.example\\b',
        'http://127.0.0.1.example.com',
        'https://$HOST',
      ],
    ],
    [
      'DATABASE_URL',
      ['sqlite:a.db', 'sqlite:/var/lib/alibi/a.db', 'postgres://u@h', 'postgresql://u:p@h:1/d'],
      [
        'a.db',
        'sqlite:',
        'sqlite:/',
        'sqlite:///a.db',
        'sqlite::memory:',
        'postgresql://h/d',
        'postgres:u@h/d',
        'mysql://h/d',
        'sqlite:a\nb',
      ],
    ],
    [
      'JWT_SECRET',
      ['x'.repeat(32), 'é'.repeat(16)],
      ['x'.repeat(31), 'é'.repeat(15), ' '.repeat(40)],
    ],
    ['JWT_SECRET_PREVIOUS', ['x'.repeat(32)], ['x'.repeat(31)]],
    [
      'TOKEN_TTL',
      ['1s', '3650d'],
      ['0s', '3651d', '30', '30D', '1.5h', '-1d', '1w', '1h30m', '01d'],
    ],
    ['OTP_TTL', ['45s', '24h'], ['0m', '25h', '10 m', '10min']],
    ['VERIFICATION_TTL', ['30m', '30d'], ['31d', '0d']],
    ['PAYMENT_PROVIDER', ['stripe'], ['sandbox', 'Stripe', 'paypal']],
    [
      'STRIPE_SECRET_KEY',
      ['sk_test_1', 'rk_live_a_B2'],
      ['pk_live_1', 'sk_live_', 'sk_prod_1', 'sk_live_a b', 'sk_live_1\n'],
    ],
    [
      'STRIPE_WEBHOOK_SECRET',
      ['whsec_a', 'whsec_a,whsec_b', 'whsec_a, whsec_b/+='],
      ['a', 'whsec_', 'whsec_a,', ',whsec_a', 'whsec_a;whsec_b', 'whsec_a whsec_b'],
    ],
    ['STRIPE_PRICE_ID', ['price_1'], ['prod_1', 'price_']],
    ['PREMIUM_PRICE', ['50', '99999999'], ['0', '49', '100000000', '4.00', '-1', '4e2', '€4']],
    ['PREMIUM_CURRENCY', ['eur', 'USD'], ['euro', '€', 'e1r', 'xxx', 'XAU', 'xyz']],
    ['PREMIUM_NAME', ['A', 'x'.repeat(250)], ['x'.repeat(251), ' ', 'a\nb']],
    ['REFUND_DUPLICATES', ['on', 'off'], ['true', 'ON', '1']],
    ['ALLOW_PROMOTION_CODES', ['on', 'off'], ['yes']],
    ['PREMIUM_MIN_AMOUNT', ['0', '1', '400'], ['-1', '1.00', '1e2', '100000000', 'none']],
    ['EMAIL_PROVIDER', ['resend'], ['console', 'mailgun']],
    ['RESEND_API_KEY', ['re_1'], ['1', 're_', 're_1\n']],
    [
      'RESEND_BASE_URL',
      ['https://mail.example', 'http://localhost:4008'],
      ['http://mail.example', 'https://mail.example/v1'],
    ],
    [
      'EMAIL_FROM',
      ['a@example.com', 'Alibi <a@example.com>', 'Çağrı Ünal <a@example.com>'],
      [
        'Alibi',
        'Alibi <a@localhost>',
        'Alibi <>',
        '<a@example.com>',
        'A <a@example.com>, B <b@example.com>',
        'A\r\nBcc: x <a@example.com>',
        'a@example.com\nBcc: b@example.com',
        '"A" <a@example.com>',
        'a@b@example.com',
      ],
    ],
    [
      'CORS_ORIGINS',
      [
        '*',
        'https://a.example',
        'http://localhost:5173, chrome-extension://abcdefgh',
        'moz-extension://2c12-aa,safari-web-extension://2C12-AA',
      ],
      [
        '*,https://a.example',
        'null',
        'a.example',
        'https://a.example/path',
        'https://*.example',
        'file:///x',
        ',',
      ],
    ],
    [
      'TRUSTED_PROXIES',
      ['127.0.0.1', '10.0.0.0/8, ::1', 'fd00::/8', '::ffff:10.0.0.1', '0.0.0.0/0'],
      [
        '10.0.0.0/33',
        '::/129',
        'localhost',
        '10.0.0',
        '10.0.0.0/',
        '10.0.0.0/8/8',
        'fe80::1%eth0',
        '10.0.0.1;10.0.0.2',
      ],
    ],
    [
      'RATE_LIMIT_GENERAL',
      ['off', '1/1s', '100000/1d'],
      ['0/15m', '10', '10/', '/15m', '10/0m', '10/2d', '100001/1d', 'OFF', '10/15'],
    ],
    ['RATE_LIMIT_AUTH', ['off'], ['none']],
    ['RATE_LIMIT_PREMIUM', ['60/1m'], ['60 / 1m']],
    [
      'MAIL_LIMIT',
      ['off', '1/1s', '90/1d', '3000/31d', '100000/1h'],
      ['0/1h', '90', '90/', '/1h', '90/0h', '90/32d', '100001/1d', 'none', '1.5/1h'],
    ],
    ['LOG_LEVEL', ['debug', 'info', 'warn', 'error'], ['warning', 'INFO', 'trace']],
    ['LOG_FORMAT', ['json', 'pretty'], ['text']],
    ['DATABASE_POOL_MAX', ['1', '10', '1000'], ['0', '1001', '-1', '2.5', 'x']],
    ['DATABASE_TIMEOUT', ['1s', '45s', '1m'], ['0s', '61s', '2m', '5', '500ms', 'off']],
  ])('%s is read strictly', (name, taken, refused) => {
    for (const value of taken)
      expect([value, blamed(() => production({ [name]: value }))]).toEqual([value, []])
    for (const value of refused) {
      expect([value, blamed(() => production({ [name]: value }))]).toEqual([value, [name]])
    }
  })

  test('values arrive normalised', () => {
    const config = production({
      PUBLIC_URL: 'https://ALIBI.example.com:443/',
      PREMIUM_CURRENCY: 'USD',
      EMAIL_FROM: 'Alibi <No-Reply@Example.COM>',
      CORS_ORIGINS: 'https://A.example:443, https://a.example ,chrome-extension://abc',
      TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8',
      STRIPE_WEBHOOK_SECRET: 'whsec_new, whsec_old',
      RATE_LIMIT_GENERAL: 'off',
      RATE_LIMIT_AUTH: '7/2h',
      DATABASE_URL: 'sqlite:/srv/x.db',
    })
    expect(config.publicUrl).toBe('https://alibi.example.com')
    expect(config.payment).toMatchObject({
      webhookSecrets: ['whsec_new', 'whsec_old'],
      product: { price: { currency: 'usd' } },
    })
    expect(config.emailFrom).toBe('Alibi <no-reply@example.com>')
    expect(config.corsOrigins).toEqual(['https://a.example', 'chrome-extension://abc'])
    expect(config.trustedProxies).toEqual(['127.0.0.1', '10.0.0.0/8'])
    expect(['127.0.0.1', '10.9.9.9', '127.0.0.2', '::1'].map(config.isTrustedProxy)).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(config.rateLimits.general).toBeNull()
    expect(config.rateLimits.auth).toEqual({ limit: 7, windowMs: 7_200_000 })
    expect(config.database).toEqual({ kind: 'sqlite', path: '/srv/x.db' })
  })

  test('in development PUBLIC_URL may be http on any host, where that is allowed', () => {
    const allowed = { ALLOW_PUBLIC_DEVELOPMENT: 'on' }
    expect(development({ PUBLIC_URL: 'http://192.168.1.5:3000', ...allowed }).publicUrl).toBe(
      'http://192.168.1.5:3000',
    )
    expect(blamed(() => development({ PUBLIC_URL: 'http://a.example/x', ...allowed }))).toEqual([
      'PUBLIC_URL',
    ])
  })
})
