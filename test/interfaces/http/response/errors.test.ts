import { describe, expect, test } from 'bun:test'
import { ParseError, t, ValidationError } from 'elysia'
import { Unavailable } from '../../../../application/unavailable.ts'
import { DomainError, type Refusal } from '../../../../domain/errors.ts'
import { RequestRefused } from '../../../../interfaces/http/request/refusal.ts'
import { answerError } from '../../../../interfaces/http/response/errors.ts'
import { ownError } from '../../../../interfaces/http/response/router-errors.ts'
import { fixedClock, NOON, recordingLog } from '../../../support/fakes.ts'
import { recordingTelemetry } from '../../../support/recording-telemetry.ts'

const ID = '01900000-0000-7000-8000-000000000000'

function answer(error: unknown) {
  const log = recordingLog()
  const ports = { clock: fixedClock(), log, telemetry: recordingTelemetry() }
  return { ...answerError(ports, ownError(error), ID), lines: log.lines }
}

describe('answerError', () => {
  test.each<[Refusal, number, string]>([
    ['invalid_email', 400, 'Invalid email'],
    ['invalid_code', 401, 'Invalid or expired code'],
    ['invalid_proof_key', 400, 'Invalid request'],
    ['too_many_mails', 429, 'Too many requests, please try again later'],
    ['too_many_wrong_codes', 429, 'Too many requests, please try again later'],
    ['missing_token', 401, 'Missing token'],
    ['invalid_token', 401, 'Invalid or expired token'],
    ['premium_required', 403, 'Premium access required'],
    ['premium_required_to_log_in', 403, 'Premium access required'],
    ['email_not_verified', 403, 'Email not verified'],
    ['email_not_verified_to_log_in', 403, 'Email not verified'],
    ['premium_already_active', 409, 'Premium access already active'],
    ['payment_processing', 409, 'Payment processing'],
    ['invalid_signature', 400, 'Invalid signature'],
  ])('answers %s with %d %p and logs nothing', (refusal, status, error) => {
    expect(answer(new DomainError(refusal))).toMatchObject({ status, error, lines: [] })
  })

  test('says in whole seconds when a refusal is lifted, never too early and never at once', () => {
    const wait = (ms: number) =>
      answer(new DomainError('too_many_mails', new Date(NOON.getTime() + ms))).headers
    expect(wait(1)).toEqual({ 'Retry-After': '1' })
    expect(wait(1001)).toEqual({ 'Retry-After': '2' })
    expect(wait(-5000)).toEqual({ 'Retry-After': '1' })
  })

  test.each([
    ['email', 'Email delivery unavailable'],
    ['payment', 'Payment provider unavailable'],
    ['storage', 'Temporarily unavailable'],
  ] as const)('answers an outage of %s with 503 %p and warns the operator', (outage, error) => {
    const answered = answer(new Unavailable(outage, { cause: new Error('no route') }))
    expect(answered).toMatchObject({ status: 503, error })
    expect(answered.lines).toMatchObject([
      {
        level: 'warn',
        fields: { request: ID, outage, error: expect.stringContaining('no route') },
      },
    ])
  })

  test('asks to come back when the database is what is missing', () => {
    expect(answer(new Unavailable('storage', { cause: null })).headers).toEqual({
      'Retry-After': '30',
    })
  })

  test('finds out what a body parser had to say', () => {
    const refused = new ParseError(new RequestRefused('invalid_json'))
    expect(answer(refused)).toMatchObject({ status: 400, error: 'Invalid JSON', lines: [] })
  })

  test.each([
    ['an error', new Error('no such table')],
    ['a parser that broke', new ParseError(new Error('out of memory'))],
    ['a string', 'no such table'],
    ['null', null],
    ['undefined', undefined],
    ['something with the code of a refusal', Object.assign(new Error('x'), { code: 'NOT_FOUND' })],
    ['an answer that does not fit', new ValidationError('response', t.String(), 5)],
  ])('answers %s with 500 and the id under which the log has it', (_, fault) => {
    const answered = answer(fault)
    expect(answered).toMatchObject({
      status: 500,
      error: 'Internal server error',
      message: `Request ${ID}`,
    })
    expect(answered.lines).toMatchObject([{ level: 'error', fields: { request: ID } }])
  })
})
