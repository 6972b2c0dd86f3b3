import { describe, expect, test } from 'bun:test'
import {
  keepSecret,
  logFailure,
  logOutage,
  reasonOf,
  reportFault,
  summariseError,
  withoutSecrets,
} from '../../application/error-report.ts'
import { Unavailable } from '../../application/unavailable.ts'
import { recordingLog } from '../support/fakes.ts'

describe('reportFault', () => {
  test('names the error, its code, its causes and where they were thrown', () => {
    const cause = Object.assign(new TypeError('disk is full'), { code: 'SQLITE_FULL' })
    const { error, stack } = reportFault(new Error('could not store', { cause }))
    expect(error).toBe('Error: could not store <- TypeError SQLITE_FULL: disk is full')
    expect(stack).toContain('error-report.test.ts')
    expect(stack).not.toContain('could not store')
  })

  test.each([
    ['insert failed: params: ada@example.com,012345', 'insert failed: params: …'],
    ['code 012345 of "ada@example.com" is wrong', 'code … of … is wrong'],
    ['٠١٢٣٤٥ is wrong', '… is wrong'],
    [`Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl`, 'Bearer …'],
    ['key sk_test_51H7xyzABCDEFGHIJKLMNOP', 'key …'],
  ])('does not repeat what is private in %p', (message, masked) => {
    const report = reportFault(new Error(message))
    expect(report['error']).toBe(`Error: ${masked}`)
    expect(report['stack']).not.toContain(message)
  })

  test.each([
    ['a string', 'string'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['a list'], 'object'],
  ])('says only of what kind %p is that was thrown', (thrown, kind) => {
    expect(reportFault(thrown)).toEqual({ error: `thrown ${kind}`, stack: '' })
  })

  test('comes to an end where causes go round in circles, and is quick with long messages', () => {
    // What looks at each character for each other one takes hours.
    const error = new Error('!'.repeat(1_000_000))
    error.cause = error
    expect(String(reportFault(error)['error']).length).toBeLessThan(5000)
  })
})

test('a summary is one line: the error, its causes, and nothing private', () => {
  const cause = new Error('no row for ada@example.com')
  const outage = new Unavailable('storage', { cause })
  expect(summariseError(outage)).toBe('Unavailable: storage unavailable <- Error: no row for …')
})

describe('logFailure', () => {
  test('logs a fault as the given event', () => {
    const log = recordingLog()
    logFailure({ log }, new Error('a bug'), 'outbox.failed', { purchase: 'pur_1' })
    expect(log.lines).toMatchObject([
      {
        level: 'error',
        event: 'outbox.failed',
        fields: { purchase: 'pur_1', error: 'Error: a bug' },
      },
    ])
  })

  test('logs an outage as one, whatever it ended', () => {
    const log = recordingLog()
    logFailure({ log }, new Unavailable('storage', { cause: 'locked' }), 'task.failed', {})
    expect(log.lines).toMatchObject([
      { level: 'warn', event: 'provider.unavailable', fields: { outage: 'storage' } },
    ])
  })
})

describe('logOutage', () => {
  test('names the setting to look at when our key is refused', () => {
    const log = recordingLog()
    const [outage, setting] = ['email', 'RESEND_API_KEY'] as const
    const error = new Unavailable(outage, { cause: new Error('401'), setting })
    logOutage({ log }, error, { task: 'outbox' })
    expect(log.lines).toMatchObject([
      {
        level: 'error',
        event: 'provider.key_refused',
        fields: { task: 'outbox', outage, setting },
      },
    ])
  })
})

test('a price that nothing can be sold at is an error of its own, not one of the key', () => {
  const log = recordingLog()
  const cause = new Error('the price price_1 is not active')
  logOutage(
    { log },
    new Unavailable('payment', { cause, setting: 'STRIPE_PRICE_ID', isPriceUnusable: true }),
    {},
  )
  expect(log.lines).toMatchObject([
    {
      level: 'error',
      event: 'price.unusable',
      fields: { outage: 'payment', error: expect.stringContaining('is not active') },
    },
  ])
})

test('a reason for an operator is what went wrong and what that came from, as far as it is known', () => {
  const disk = new Error('the disk is full')
  const copy = new Error('it could not be copied', { cause: disk })
  expect(reasonOf(new Error('no backup', { cause: copy }))).toBe(
    'no backup: it could not be copied: the disk is full',
  )
  expect(reasonOf(disk)).toBe('the disk is full')
  expect(reasonOf(new Error('no backup', { cause: 'a signal' }))).toBe('no backup: a signal')
})

describe('a secret that is kept', () => {
  const SECRET = 'a p@ss:wörd/%é+1234567'
  keepSecret(SECRET)
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  test.each([
    ['as it is', SECRET],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded in small letters', encodeURIComponent(SECRET).toLowerCase()],
    ['percent-encoded in every letter', Buffer.from(SECRET).toString('hex').replace(/../g, '%$&')],
    ['as a form has it', new URLSearchParams({ '': SECRET }).toString().slice(1)],
    ['in Base64', base64(SECRET)],
    ['in the Base64 of URLs', Buffer.from(SECRET).toString('base64url')],
    ['in Base64 that is percent-encoded', encodeURIComponent(base64(SECRET))],
    ['in a log-in of SMTP', base64(`\0alibi@example.com\0${SECRET}`)],
    ['in a log-in of SMTP with another user', base64(`\0user\0${SECRET}`)],
    ['in a log-in of HTTP', base64(`alibi:${SECRET}`)],
    ['in Base64 with more behind it', base64(`x${SECRET} and more`)],
  ])('is taken out of foreign words %s, and the others stay', (_, written) => {
    const words = withoutSecrets(`535 no: "${written}" is wrong`)
    expect(words).toStartWith('535 no: "')
    expect(words).toEndWith('" is wrong')
    expect(words).toContain('[…]')
    // No four characters of what was written are left, but for the beginning of the user in Base64.
    const left = words.slice(9, -10).replace('[…]', '')
    expect(SECRET).not.toContain(left || '\0')
    expect(left.length).toBeLessThan(written.length / 2)
    const report = reportFault(new Error('outer', { cause: new Error(`no: ${written}`) }))
    expect(report.error).not.toContain(written)
    expect(reasonOf(new Error('outer', { cause: `no: ${written}` }))).not.toContain(written)
  })

  test('is found before other rules take a part of it out, and before the words are cut', () => {
    for (let length = 480; length < 500; length++) {
      const { error } = reportFault(new Error(`${'- '.repeat(length / 2)}${SECRET}`))
      expect(error).not.toContain('a p')
      expect(error).not.toContain('wörd')
    }
  })

  test('that begins with another one leaves nothing of itself', () => {
    for (const secret of ['whsec_one', 'whsec_one_two']) keepSecret(secret)
    expect(withoutSecrets('whsec_one_two, whsec_one')).toBe('[…], […]')
  })

  test('that is no longer than a syllable is a word like any other', () => {
    keepSecret('key')
    expect(withoutSecrets('no key')).toBe('no key')
  })
})
