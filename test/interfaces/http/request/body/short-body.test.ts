import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import {
  SHORT_BYTES_MAX,
  UNDER_WAY_AFTER_MS,
} from '../../../../../interfaces/http/request/body/body.ts'
import {
  GROUP_BYTES_MAX,
  WHOLE_BYTES_MAX,
} from '../../../../../interfaces/http/request/body/body-budget.ts'
import { begin, expectTenSeconds, pass } from '../../../../support/http/arriving-body.ts'
import { answers, EMAIL, openHttp } from '../../../../support/http/http-client.ts'

// Short bodies, which are taken in one go, on a clock that only the tests move.

const BUSY = answers(503, 'Temporarily unavailable')
const RIGHT = JSON.stringify({ email: EMAIL })

type Http = ReturnType<typeof openHttp>

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const login = (http: Http, { bytes = RIGHT.length, peer = '192.0.2.1' } = {}) =>
  begin(http, '/auth/verify-email', {
    headers: { 'content-type': 'application/json', 'content-length': String(bytes) },
    peer,
  })

describe('a short body that is late', () => {
  test('is read, in pieces of any size', async () => {
    const request = login(openHttp())
    for (const character of RIGHT) {
      await request.send(character)
      await pass(100)
    }
    expect(await request.end()).toMatchObject({ status: 200 })
  })

  test('has ten seconds, and then ends with its connection', async () => {
    await expectTenSeconds(login(openHttp()))
  })

  test('is refused where it is the ninth of its client that is under way', async () => {
    const http = openHttp()
    const eight = Array.from({ length: 8 }, () => login(http))
    await pass(UNDER_WAY_AFTER_MS)
    const [ninth, another] = [login(http), login(http, { peer: '192.0.2.2' })]
    await pass(UNDER_WAY_AFTER_MS)
    expect(await ninth.answer).toMatchObject(BUSY)
    expect(await another.end(RIGHT)).toMatchObject({ status: 200 })
    for (const request of eight) {
      expect(await request.end(RIGHT)).toMatchObject({ status: expect.any(Number) })
    }
  })

  test('that breaks off is an invalid request', async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error('the connection is gone')),
    })
    const headers = { 'content-type': 'application/json', 'content-length': '10' }
    const answer = openHttp().send('POST', '/auth/verify-email', { body, headers })
    expect(await answer).toMatchObject(answers(400, 'Invalid request'))
  })
})

test('short bodies count with all that they announce once they are under way, and not before', async () => {
  const http = openHttp()
  const large = { bytes: 64 * 1024, peer: '' }
  // But for one byte each, they take all the room there is.
  const others = Array.from({ length: GROUP_BYTES_MAX.other / large.bytes }, (_, index) =>
    login(http, { ...large, peer: `10.0.${index}.1` }),
  )
  for (const other of others) await other.send(' '.repeat(large.bytes - 1))
  await pass(UNDER_WAY_AFTER_MS)
  const short = ['10.1.0.1', '10.1.1.1'].map((peer) =>
    login(http, { bytes: SHORT_BYTES_MAX, peer }),
  )
  await pass(UNDER_WAY_AFTER_MS - 1)
  expect(await others[0]!.answered()).toBeNull()
  await pass(1)
  expect(await others[0]!.answer).toMatchObject(BUSY)
  expect(await others[1]!.answered()).toBeNull()
  for (const request of [...others.slice(1), ...short]) await request.end(RIGHT)
})

test('past what may be taken in one go, short bodies are read as they come, and count with that', async () => {
  const http = openHttp()
  const large = { bytes: 64 * 1024, peer: '' }
  const announced = Array.from({ length: WHOLE_BYTES_MAX / SHORT_BYTES_MAX }, (_, index) =>
    login(http, { bytes: SHORT_BYTES_MAX, peer: `10.1.${index}.1` }),
  )
  // But for one byte each, they take all the room that is left.
  const length = (GROUP_BYTES_MAX.other - WHOLE_BYTES_MAX) / large.bytes
  const others = Array.from({ length }, (_, index) =>
    login(http, { ...large, peer: `10.0.${index}.1` }),
  )
  for (const other of others) await other.send(' '.repeat(large.bytes - 1))
  const late = login(http, { bytes: SHORT_BYTES_MAX, peer: '10.2.0.1' })
  await pass(UNDER_WAY_AFTER_MS)
  expect(await others[0]!.answered()).toBeNull()
  expect(await late.end(RIGHT)).toMatchObject({ status: 200 })

  for (const request of [...others, ...announced]) await request.end(RIGHT)
})
