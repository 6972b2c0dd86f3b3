import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { SECOND_MS } from '../../../../../domain/duration.ts'
import {
  BODY_GRACE_MS,
  BODY_MAX_MS,
  UNDER_WAY_AFTER_MS,
} from '../../../../../interfaces/http/request/body/body.ts'
import { begin, expectTenSeconds, pass, settle } from '../../../../support/http/arriving-body.ts'
import { answers, EMAIL, openHttp } from '../../../../support/http/http-client.ts'
import { printFigures, tally } from '../../../../support/stress/figures.ts'

// Bodies that take their time, on a clock that only the tests move.

const KIB = 1024
const MIB = 1024 * KIB
const BUSY = answers(503, 'Temporarily unavailable')
const JSON_TYPE = { 'content-type': 'application/json' }
const SIGNED = { 'stripe-signature': 'valid' }
const NOTIFICATION = JSON.stringify({ eventId: 'evt_1', eventType: 'x', kind: 'other' })

type Http = ReturnType<typeof openHttp>

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const login = (http: Http, peer?: string) =>
  begin(http, '/auth/verify-email', { headers: JSON_TYPE, ...(peer ? { peer } : {}) })
const notify = (http: Http, peer?: string) =>
  begin(http, '/webhook/stripe', { headers: SIGNED, ...(peer ? { peer } : {}) })
const RIGHT = JSON.stringify({ email: EMAIL })

describe('a body that is late', () => {
  test('is read, in pieces of any size', async () => {
    const http = openHttp()
    const request = login(http)
    for (const character of RIGHT) {
      await request.send(character)
      await pass(100)
    }
    expect(await request.end()).toMatchObject({ status: 200 })
    const large = notify(http)
    await large.send(new Uint8Array(100 * KIB).fill(0x20))
    for (const character of NOTIFICATION) await large.send(character)
    await large.send(new Uint8Array(100 * KIB).fill(0x20))
    expect(await large.end()).toMatchObject({ status: 200, body: { received: true } })
  })

  test('has ten seconds, and then ends with its connection', async () => {
    const request = login(openHttp())
    await expectTenSeconds(request)
    expect(request.isDropped()).toBe(true)
    expect(BODY_MAX_MS).toBe(10 * SECOND_MS)
  })

  test.each([
    ['in pieces', JSON_TYPE],
    ['in one go', { ...JSON_TYPE, 'content-length': String(RIGHT.length) }],
  ])('that is taken %s has two seconds while the service ends, as before', async (_, headers) => {
    const ending = new AbortController()
    const http = openHttp({ stopping: ending.signal })
    const [silent, late] = [1, 2].map(() => begin(http, '/auth/verify-email', { headers }))
    if (!silent || !late) throw new Error('two requests were begun')
    await pass(1000)
    ending.abort()
    await pass(BODY_GRACE_MS - 1)
    expect(await late.end(RIGHT)).toMatchObject({ status: 200 })
    expect(await silent.answered()).toBeNull()
    await pass(1)
    expect(await silent.answer).toMatchObject(BUSY)
  })
})

describe('what a refused request still sends', () => {
  const inChunks = { 'transfer-encoding': 'chunked' }
  const closing = { 'content-length': String(MIB), connection: 'close' }

  test.each([
    ['two seconds where the client closes the connection', closing, BODY_GRACE_MS],
    ['ten in chunks', inChunks, BODY_MAX_MS],
  ])('has %s', async (_, headers, milliseconds) => {
    for (const [path, status] of [
      ['/nothing', 404],
      ['/webhook/stripe', 400],
      ['/auth/login', 413],
    ] as const) {
      const request = begin(openHttp(), path, { headers: { ...JSON_TYPE, ...headers } })
      await request.send(new Uint8Array(100 * KIB))
      await pass(milliseconds - 1)
      expect(await request.answered()).toBeNull()
      await pass(1)
      expect(await request.answer).toMatchObject({ status })
      expect(request.isDropped()).toBe(true)
    }
  })

  test('has two seconds while the service ends', async () => {
    const ending = new AbortController()
    const http = openHttp({ stopping: ending.signal })
    const request = begin(http, '/nothing', { headers: inChunks })
    ending.abort()
    await pass(BODY_GRACE_MS)
    expect(await request.answer).toMatchObject({ status: 404 })
  })

  test('counts nothing against the bodies that are read', async () => {
    const http = openHttp()
    const refused = Array.from({ length: 20 }, (_, index) =>
      begin(http, index % 2 === 0 ? '/nothing' : '/auth/login', { headers: inChunks }),
    )
    for (const request of refused) await request.send(new Uint8Array(MIB))
    const read = Array.from({ length: 8 }, () => login(http))
    await pass(UNDER_WAY_AFTER_MS)
    for (const request of read) {
      expect(await request.end('{}')).toMatchObject(answers(400, 'Invalid email'))
    }
    for (const request of refused) {
      expect(await request.end()).toMatchObject({ status: expect.any(Number) })
    }
  })

  test('is dropped in chunks too where it had to give way', async () => {
    const http = openHttp()
    const eight = Array.from({ length: 8 }, () => login(http))
    await pass(UNDER_WAY_AFTER_MS)
    const ninth = begin(http, '/auth/verify-email', { headers: { ...JSON_TYPE, ...inChunks } })
    await pass(UNDER_WAY_AFTER_MS)
    await ninth.send(new Uint8Array(MIB))
    expect(await ninth.answered()).toBeNull()
    expect(await eight[0]!.end(RIGHT)).toMatchObject({ status: 200 })
    expect(await ninth.end(RIGHT)).toMatchObject(BUSY)
    expect(ninth.isDropped()).toBe(false)
    for (const request of eight.slice(1)) await request.end(RIGHT)
  })
})

test('a body is under way once it is 250 ms behind its head', () => {
  expect(UNDER_WAY_AFTER_MS).toBe(250)
})

test.each([
  ['/webhook/stripe', SIGNED],
  ['/auth/verify-email', JSON_TYPE],
])('bodies that are refused at %s have no line each in the log', async (path, headers) => {
  const http = openHttp()
  const many = Array.from({ length: 108 }, () => begin(http, path, { headers }))
  await pass(UNDER_WAY_AFTER_MS)
  await pass(BODY_MAX_MS - UNDER_WAY_AFTER_MS)
  for (const { answer } of many) expect(await answer).toMatchObject(BUSY)
  const written = http.ports.log.lines
    .filter(({ event }) => event.startsWith('http.'))
    .map(({ event, fields }) => ({ event, ...fields }))
  printFigures(`108 refused bodies at ${path}`, tally(written.map(({ event }) => event)))
  expect(written).toEqual(many.map(() => ({ event: 'http.requests_counted', path, status: 503 })))
})

describe('of one client', () => {
  test('the ninth body that is under way is refused, and eight are read', async () => {
    const http = openHttp()
    const eight = Array.from({ length: 8 }, (_, index) => (index < 4 ? login : notify)(http))
    await pass(UNDER_WAY_AFTER_MS)
    const ninth = login(http)
    await pass(UNDER_WAY_AFTER_MS - 1)
    expect(await ninth.answered()).toBeNull()
    const [another, quick] = [login(http, '192.0.2.2'), login(http)]
    expect(await quick.end(RIGHT)).toMatchObject({ status: 200 })
    await pass(UNDER_WAY_AFTER_MS)
    const refusal = await ninth.answer
    expect(refusal).toMatchObject(BUSY)
    expect(refusal.header('retry-after')).toBe('30')
    expect(await another.end(RIGHT)).toMatchObject({ status: 200 })

    for (const request of eight.slice(0, 4)) {
      expect(await request.end(RIGHT)).toMatchObject({ status: expect.any(Number) })
    }
    const next = login(http)
    await pass(UNDER_WAY_AFTER_MS)
    expect(await next.end('{}')).toMatchObject(answers(400, 'Invalid email'))
    for (const request of eight.slice(4)) {
      expect(await request.end(NOTIFICATION)).toMatchObject({ status: 200 })
    }
  })

  test('all addresses of a /64 are the same one', async () => {
    const http = openHttp()
    for (let index = 0; index < 8; index++) login(http, `2001:db8::${index + 1}`)
    await pass(UNDER_WAY_AFTER_MS)
    const [same, other] = [login(http, '2001:db8::ffff:1'), login(http, '2001:db8:0:1::1')]
    await pass(UNDER_WAY_AFTER_MS)
    expect(await same.answer).toMatchObject(BUSY)
    expect(await other.end(RIGHT)).toMatchObject({ status: 200 })
  })
})

describe('past the bytes', () => {
  test('the oldest body of the client with most of them gives way, and a newcomer is read', async () => {
    const http = openHttp()
    const held = Array.from({ length: 24 }, (_, index) => notify(http, `192.0.2.${index >> 2}`))
    await pass(UNDER_WAY_AFTER_MS)
    for (const request of held.slice(0, 23)) await request.send(new Uint8Array(MIB))
    await pass(0)
    expect(held.some(({ isDropped }) => isDropped())).toBe(false)

    const newcomer = notify(http, '198.51.100.1')
    await pass(UNDER_WAY_AFTER_MS)
    await held[23]!.send(new Uint8Array(MIB))
    await newcomer.send(NOTIFICATION.slice(0, 10))
    expect(await held[0]!.answer).toMatchObject(BUSY)
    expect(await newcomer.end(NOTIFICATION.slice(10))).toMatchObject({ status: 200 })
    expect(held.filter(({ isDropped }) => isDropped())).toHaveLength(1)
  })

  test('notifications do not crowd out people, nor people notifications', async () => {
    const http = openHttp()
    const notifications = Array.from({ length: 24 }, (_, index) =>
      notify(http, `192.0.2.${index >> 2}`),
    )
    const logins = Array.from({ length: 128 }, (_, index) => login(http, `198.51.100.${index}`))
    await pass(UNDER_WAY_AFTER_MS)
    for (const request of notifications) await request.send(new Uint8Array(MIB))
    for (const request of logins) await request.send(new Uint8Array(64 * KIB))
    await settle()
    expect([...notifications, ...logins].some(({ isDropped }) => isDropped())).toBe(false)
    await login(http, '203.0.113.1').send(' ')
    await notify(http, '203.0.113.2').send(' ')
    await pass(UNDER_WAY_AFTER_MS)
    expect(notifications.filter(({ isDropped }) => isDropped())).toHaveLength(1)
    expect(logins.filter(({ isDropped }) => isDropped())).toHaveLength(1)
  })
})

describe('a notification whose header is no signature', () => {
  test.each<[string, Record<string, string>]>([
    ['missing', {}],
    ['empty', { 'stripe-signature': '' }],
    ['wrong', { 'stripe-signature': 'wrong' }],
  ])('is refused before a byte of its body has come: %s', async (_, headers) => {
    const http = openHttp()
    const request = begin(http, '/webhook/payment', { headers })
    expect(await request.answer).toMatchObject(answers(400, 'Invalid signature'))
    expect(http.ports.telemetry.events).toContainEqual({
      kind: 'notification_received',
      outcome: 'refused',
      lagMs: null,
    })
  })
})
