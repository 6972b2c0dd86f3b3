import { describe, expect, test } from 'bun:test'
import {
  logFailure,
  logOutage,
  reasonOf,
  reportFault,
  summariseError,
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
  test.each([
    ['email', 'RESEND_API_KEY'],
    ['payment', 'STRIPE_SECRET_KEY'],
  ] as const)('names the setting to look at when our key for %s is refused', (outage, setting) => {
    const log = recordingLog()
    const error = new Unavailable(outage, { cause: new Error('401'), needsOperator: true })
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
  logOutage({ log }, new Unavailable('payment', { cause, isPriceUnusable: true }), {})
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
