import { afterEach, describe, expect, test } from 'bun:test'
import { blamed, development, problemsOf, production } from '../support/config-loading.ts'
import { FROM_SOURCE, runAlibi } from '../support/service/alibi-process.ts'
import { openTemporaryFolder } from '../support/temporary-folder.ts'

const ALLOWED = { ALLOW_PUBLIC_DEVELOPMENT: 'on' }
const STRIPE = { STRIPE_WEBHOOK_SECRET: 'whsec_0123456789' }

describe('development, which shows codes to whoever asks', () => {
  test.each(['0.0.0.0', '::', '10.0.0.5', '192.0.2.7', 'alibi.example.com', '2001:db8::1'])(
    'does not listen on %s',
    (HOST) => {
      expect(problemsOf(() => development({ HOST }))).toEqual([
        'HOST must be on loopback, such as 127.0.0.1, in development, unless ALLOW_PUBLIC_DEVELOPMENT=on lets everybody see codes',
      ])
      expect(blamed(() => development({ HOST, ALLOW_PUBLIC_DEVELOPMENT: 'off' }))).toEqual(['HOST'])
      expect(development({ HOST, ...ALLOWED }).host).toBe(HOST)
    },
  )

  test.each([
    'https://alibi.example.com',
    'http://alibi.example.com',
    'http://10.0.0.5:3000',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://0.0.0.0:3000',
  ])('is not reached at %s', (PUBLIC_URL) => {
    expect(problemsOf(() => development({ PUBLIC_URL }))).toEqual([
      'PUBLIC_URL must be on loopback, such as http://localhost:3000, in development, unless ALLOW_PUBLIC_DEVELOPMENT=on lets everybody see codes',
    ])
    expect(development({ PUBLIC_URL, ...ALLOWED }).publicUrl).toBe(PUBLIC_URL)
  })

  test('names both at once', () => {
    const both = { HOST: '0.0.0.0', PUBLIC_URL: 'https://alibi.example.com' }
    expect(blamed(() => development(both))).toEqual(['HOST', 'PUBLIC_URL'])
  })

  test.each([
    { HOST: '127.0.0.1', PUBLIC_URL: 'http://localhost:3000' },
    { HOST: 'localhost', PUBLIC_URL: 'http://127.0.0.1:3000' },
    { HOST: 'LOCALHOST', PUBLIC_URL: 'http://LOCALHOST:3000' },
    { HOST: '::1', PUBLIC_URL: 'http://[::1]:3000' },
    { HOST: '0:0:0:0:0:0:0:1', PUBLIC_URL: 'https://localhost' },
    { HOST: '127.3.2.1' },
  ])('stays on this machine with %j', (own) => {
    expect(blamed(() => development(own))).toEqual([])
  })

  test.each(['sk_live_0123456789', 'rk_live_0123456789', ' sk_live_0123456789'])(
    'takes no live key, whatever is allowed: %j',
    (STRIPE_SECRET_KEY) => {
      const ways = [{}, ALLOWED, { PAYMENT_PROVIDER: 'sandbox' }, { PAYMENT_PROVIDER: 'stripe' }]
      for (const way of ways) {
        const problems = problemsOf(() => development({ STRIPE_SECRET_KEY, ...STRIPE, ...way }))
        expect(problems).toContain(
          'STRIPE_SECRET_KEY must be a test key, sk_test_… or rk_test_…, in development',
        )
        expect(problems.join('\n')).not.toContain('0123456789')
      }
    },
  )

  test('takes a test key', () => {
    for (const STRIPE_SECRET_KEY of ['sk_test_0123456789', 'rk_test_0123456789']) {
      expect(blamed(() => development({ STRIPE_SECRET_KEY, ...STRIPE }))).toEqual([])
    }
  })

  test('is what the switch is for: production is as public as ever', () => {
    expect(production({ HOST: '0.0.0.0' })).toEqual(production({ HOST: '0.0.0.0', ...ALLOWED }))
    expect(blamed(() => production({ ALLOW_PUBLIC_DEVELOPMENT: 'yes' }))).toEqual([
      'ALLOW_PUBLIC_DEVELOPMENT',
    ])
  })
})

describe('a start of it', () => {
  const folder = openTemporaryFolder()
  afterEach(() => folder[Symbol.dispose]())

  test('in public and with a live key serves nothing, says why in a line each, and exits with 78', async () => {
    const outcome = await runAlibi({
      command: [...FROM_SOURCE, 'serve'],
      cwd: folder.path,
      env: {
        APP_ENV: 'development',
        HOST: '0.0.0.0',
        PORT: '0',
        PUBLIC_URL: 'https://alibi.example.com',
        STRIPE_SECRET_KEY: 'rk_live_0123456789',
        ...STRIPE,
      },
    })
    expect(outcome).toMatchObject({ exitCode: 78, stdout: '' })
    const named = outcome.stderr.match(/^.*?(?:HOST|PUBLIC_URL|STRIPE_SECRET_KEY) must be /gm)
    expect(named).toHaveLength(3)
    expect(outcome.stderr).not.toContain('rk_live_0')
  })
})
