import { describe, expect, test } from 'bun:test'
import { logOutage } from '../../../application/error-report.ts'
import { Unavailable } from '../../../application/unavailable.ts'
import { SECOND_MS } from '../../../domain/duration.ts'
import { talliedLog } from '../../../infrastructure/telemetry/tallied-log.ts'
import { recordingLog } from '../../support/fakes.ts'

/** A tallied log whose waits end when the test says. */
function open() {
  const inner = recordingLog()
  const waits: { milliseconds: number; end: () => void }[] = []
  const wait = (milliseconds: number) =>
    new Promise<void>((end) => void waits.push({ milliseconds, end }))
  const { log, flush } = talliedLog(inner, { wait })
  const writtenSoFar = (): Record<string, unknown>[] =>
    inner.lines.splice(0).map(({ event, fields }) => ({ event, ...fields }))
  return {
    log,
    flush,
    waits,
    /** Ends every wait, and hands over what was written since the last time. */
    async written() {
      for (const { end } of waits.splice(0)) end()
      await Promise.resolve()
      await Promise.resolve()
      return writtenSoFar()
    },
    writtenSoFar,
  }
}

const HEALTH = { path: '/health', status: 200 }

describe('requests that are counted', () => {
  test('are a line each second for each path and status', async () => {
    const { log, waits, written, writtenSoFar } = open()
    for (let time = 0; time < 10_000; time++) {
      log('http.requests_counted', HEALTH)
      if (time % 10 === 0) log('http.requests_counted', { ...HEALTH, status: 404 })
    }
    log('http.requests_counted', { path: null, status: 429 })
    expect(writtenSoFar()).toEqual([])
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([SECOND_MS])
    expect(await written()).toEqual([
      { event: 'http.requests_counted', ...HEALTH, count: 10_000 },
      { event: 'http.requests_counted', path: '/health', status: 404, count: 1000 },
      { event: 'http.requests_counted', path: null, status: 429, count: 1 },
    ])
    log('http.requests_counted', HEALTH)
    expect(await written()).toEqual([{ event: 'http.requests_counted', ...HEALTH, count: 1 }])
  })

  test('leave no wait behind while there are none', async () => {
    const { log, waits, written } = open()
    log('service.serving')
    expect(waits).toEqual([])
    log('http.requests_counted', HEALTH)
    await written()
    expect(waits).toEqual([])
  })

  test('are written at once where the service ends, and not again', async () => {
    const { log, flush, written, writtenSoFar } = open()
    log('http.requests_counted', HEALTH)
    flush()
    expect(writtenSoFar()).toEqual([{ event: 'http.requests_counted', ...HEALTH, count: 1 }])
    flush()
    expect(await written()).toEqual([])
  })
})

describe('an outage', () => {
  const outage = (message = 'disk full') =>
    new Unavailable('storage', { cause: new Error(message) })

  test('is written with its stack once in ten seconds for each cause, and then how often it came', async () => {
    const { log, waits, written, writtenSoFar } = open()
    const unlike = outage('locked')
    for (let request = 0; request < 1000; request++) {
      logOutage({ log }, outage(), { request: `${request}` })
    }
    logOutage({ log }, unlike, { request: 'other' })
    logOutage({ log }, outage(), { task: 'outbox' })
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([10 * SECOND_MS])

    const same = { event: 'provider.unavailable', outage: 'storage' }
    const error = 'Unavailable: storage unavailable <- Error: disk full'
    const stack = expect.stringContaining('tallied-log.test.ts')
    expect(writtenSoFar()).toEqual([
      { ...same, error, request: '0', stack },
      { ...same, error: expect.stringContaining('locked'), request: 'other', stack },
      { ...same, error, task: 'outbox', stack },
    ])
    expect(await written()).toEqual([{ ...same, error, count: 999 }])
    logOutage({ log }, outage(), { request: 'later' })
    expect(writtenSoFar()).toEqual([{ ...same, error, request: 'later', stack }])
  })

  test('of ever new causes is bounded, too', async () => {
    const { log, written, writtenSoFar } = open()
    for (let request = 0; request < 1000; request++) {
      logOutage({ log }, outage(`after ${request} ms`), { request: `${request}` })
    }
    expect(writtenSoFar()).toHaveLength(20)
    expect(await written()).toEqual([{ event: 'provider.unavailable', count: 980 }])
  })

  test('that needs an operator is an event of its own', async () => {
    const { log, written } = open()
    const refused = new Unavailable('payment', { cause: null, setting: 'STRIPE_SECRET_KEY' })
    logOutage({ log }, refused, { request: '1' })
    logOutage({ log }, refused, { request: '2' })
    logOutage({ log }, outage(), { request: '3' })
    expect(await written()).toMatchObject([
      { event: 'provider.key_refused', request: '1' },
      { event: 'provider.unavailable', request: '3' },
      { event: 'provider.key_refused', setting: 'STRIPE_SECRET_KEY', count: 1 },
    ])
  })
})

test('every other event has its line at once', () => {
  const { log, writtenSoFar } = open()
  for (let time = 0; time < 3; time++) log('http.request', { request: 'same' })
  log('service.stopped')
  expect(writtenSoFar()).toEqual([
    ...Array.from({ length: 3 }, () => ({ event: 'http.request', request: 'same' }) as const),
    { event: 'service.stopped' },
  ])
})
