import { describe, expect, test } from 'bun:test'
import {
  answers,
  type Body,
  countingLimiter,
  EMAIL,
  openHttp,
} from '../../../../support/http/http-client.ts'
import { processorMs } from '../../../../support/processor-time.ts'

const KIB = 1024
const JSON_TYPE = { 'content-type': 'application/json' }
const TOO_LARGE = answers(413, 'Request too large')

const post = (body: Body, headers: Record<string, string> = JSON_TYPE) =>
  openHttp().send('POST', '/auth/verify-email', { body, headers })

/** A body in pieces that says how many of them were asked for. */
function inPieces(piece: Uint8Array, count: number) {
  const pulled = { pieces: 0 }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulled.pieces === count) return controller.close()
      pulled.pieces++
      controller.enqueue(piece.slice())
    },
  })
  return { body, pulled }
}

describe('an empty body', () => {
  test.each([{}, JSON_TYPE, { 'content-type': 'text/plain' }])(
    'counts as an empty object with headers %j',
    async (headers) => {
      expect(await post('', headers)).toMatchObject(answers(400, 'Invalid email'))
      const none = await openHttp().send('POST', '/auth/verify-email', { headers })
      expect(none).toMatchObject(answers(400, 'Invalid email'))
    },
  )
})

describe('a body that is no JSON object', () => {
  test('is Invalid JSON however deep it goes', async () => {
    expect(await post('['.repeat(60_000))).toMatchObject(answers(400, 'Invalid JSON'))
  })

  test.each([
    '{',
    '{"email":"a@b.co"',
    "{'email':'a@b.co'}",
    '{"email":"a@b.co",}',
    'email=a@b.co',
    ' ',
    '\u0000',
    '{"email":"a@b.co"}{"email":"c@d.co"}',
    'NaN',
    '{"email":"\n"}',
    '['.repeat(60),
  ])('is Invalid JSON when it is %p', async (body) => {
    expect(await post(body)).toMatchObject(answers(400, 'Invalid JSON'))
  })

  test.each([
    ['a broken sequence', [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('is Invalid JSON when its bytes hold %s', async (_, bytes) => {
    expect(await post(new Uint8Array(bytes))).toMatchObject(answers(400, 'Invalid JSON'))
  })

  test.each(['null', 'true', '5', '"email"', '[]', '[{"email":"a@b.co"}]', '[[[[]]]]'])(
    'is Invalid request when it is %p',
    async (body) => {
      expect(await post(body)).toMatchObject(answers(400, 'Invalid request'))
    },
  )
})

describe('a body of another kind', () => {
  const body = JSON.stringify({ email: EMAIL })

  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset=utf8',
  ])('is welcome as %p', async (type) => {
    expect(await post(body, { 'content-type': type })).toMatchObject({ status: 200 })
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/ld+json',
    'text/json',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/octet-stream',
    'x',
  ])('is refused as %p', async (type) => {
    expect(await post(body, { 'content-type': type })).toMatchObject(
      answers(415, 'Unsupported media type'),
    )
  })

  test('is refused without a type', async () => {
    expect(await post(new TextEncoder().encode(body), {})).toMatchObject({ status: 415 })
  })

  test.each(['gzip', 'br', 'gzip, identity', 'x'])(
    'is refused when encoded as %p',
    async (encoding) => {
      const headers = { ...JSON_TYPE, 'content-encoding': encoding }
      expect(await post(Bun.gzipSync(body), headers)).toMatchObject({ status: 415 })
    },
  )

  test('is welcome when it says that it is not encoded', async () => {
    expect(await post(body, { ...JSON_TYPE, 'content-encoding': 'Identity' })).toMatchObject({
      status: 200,
    })
  })
})

describe('a hostile object', () => {
  test.each([
    '{"__proto__":{"email":"a@b.co"}}',
    '{"constructor":{"prototype":{"email":"a@b.co"}}}',
    '{"email":{"toString":"a@b.co"}}',
    '{"email":["a@b.co"]}',
    '{"email":true}',
    '{"email":"a@b.co\\u0000"}',
    '{"email":"\\ud800@b.co"}',
    '{"email":"a@b.co","email":"nobody"}',
  ])('gives no address: %s', async (body) => {
    expect(await post(body)).toMatchObject(answers(400, 'Invalid email'))
    expect(Reflect.get(Object.prototype, 'email')).toBeUndefined()
  })

  test.each([
    ['arrays nested deep', `"more":${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['objects nested deep', `"more":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`],
    ['names of the language', '"__proto__":{"lang":5},"constructor":1,"hasOwnProperty":1'],
    ['many fields', Array.from({ length: 4000 }, (_, key) => `"k${key}":1`).join()],
  ])('with %s is read for what it should hold', async (_, fields) => {
    expect(await post(`{"email":"${EMAIL}",${fields}}`)).toMatchObject({ status: 200 })
  })

  test('costs no more where a field of it is long', async () => {
    const spentMs = await processorMs(async () => {
      for (let time = 0; time < 20; time++) {
        await post(`{"email":"${'a'.repeat(60_000)}@b.co"}`)
        await post(`{"email":"a@${'b.'.repeat(30_000)}co"}`)
        await post(`{"email":"${EMAIL}","lang":"${'-'.repeat(60_000)}"}`)
      }
    })
    // Of the processor, whoever else wants it. What looks at each character for each other one takes minutes.
    expect(spentMs).toBeLessThan(10_000)
  })
})

describe('a large body', () => {
  test('is read up to 64 KiB', async () => {
    const body = JSON.stringify({ email: EMAIL })
    expect(await post(body.padEnd(64 * KIB))).toMatchObject({ status: 200 })
    expect(await post(body.padEnd(64 * KIB + 1))).toMatchObject(TOO_LARGE)
  })

  test('in chunks that is refused is read to its end before the answer', async () => {
    for (const [method, path, status] of [
      ['POST', '/auth/verify-email', 413],
      ['POST', '/auth/logout', 413],
      ['POST', '/webhook/stripe', 400],
      ['POST', '/nothing', 404],
      ['PUT', '/app', 404],
      ['DELETE', '/auth/login', 429],
      ['OPTIONS', '/auth/login', 404],
    ] as const) {
      const { body, pulled } = inPieces(new Uint8Array(KIB), 3000)
      const auth = status === 429 ? countingLimiter(0) : null
      const http = openHttp({ limiters: { general: null, auth, premium: null } })
      const headers = { ...JSON_TYPE, 'transfer-encoding': 'chunked' }
      const answer = await http.send(method, path, { body, headers })
      expect([path, answer.status, pulled.pieces]).toEqual([path, status, 3000])
      expect(answer.header('connection')).toBe('close')
    }
  })

  test('of up to 4 MiB that is refused is left to Bun, which drops it on a connection that goes on', async () => {
    for (const path of ['/auth/verify-email', '/webhook/stripe', '/nothing']) {
      const { body, pulled } = inPieces(new Uint8Array(KIB), 3000)
      const headers = { ...JSON_TYPE, 'content-length': String(3000 * KIB) }
      const answer = await openHttp().send('POST', path, { body, headers })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.header('connection')).toBeNull()
      expect(pulled.pieces).toBeLessThanOrEqual(1)
    }
  })

  test('in chunks is dropped up to 4 MiB, and no further', async () => {
    for (const path of ['/auth/verify-email', '/nothing']) {
      const { body, pulled } = inPieces(new Uint8Array(KIB), 100_000)
      const headers = { ...JSON_TYPE, 'transfer-encoding': 'chunked' }
      const answer = await openHttp().send('POST', path, { body, headers })
      expect(answer.header('connection')).toBe('close')
      expect(pulled.pieces).toBeGreaterThan(4096)
      expect(pulled.pieces).toBeLessThan(4200)
    }
  })

  test('is not read at all when it announces more than 4 MiB', async () => {
    const { body, pulled } = inPieces(new Uint8Array(KIB), 5000)
    const before = pulled.pieces
    const headers = { ...JSON_TYPE, 'content-length': String(5000 * KIB) }
    const answer = await post(body, headers)
    expect(answer).toMatchObject(TOO_LARGE)
    expect(answer.header('connection')).toBe('close')
    expect(pulled.pieces - before).toBeLessThanOrEqual(1)
  })

  test('is read no further than 4 MiB when it announces nothing', async () => {
    const { body, pulled } = inPieces(new Uint8Array(KIB), 100_000)
    expect(await post(body)).toMatchObject(TOO_LARGE)
    expect(pulled.pieces).toBeLessThan(4200)
  })

  test('is refused where a route takes none, too', async () => {
    const body = 'x'.repeat(64 * KIB + 1)
    expect(await openHttp().send('POST', '/auth/logout', { body })).toMatchObject(TOO_LARGE)
  })

  test.each([
    ['POST', '/'],
    ['POST', '/nothing'],
    ['POST', '/health'],
    ['POST', '/auth/check'],
    ['POST', '/webhook/other'],
    ['POST', '/sandbox/pay/cs_1'],
    ['PUT', '/auth/login'],
    ['DELETE', '/webhook/stripe'],
  ])('is given to no route where there is no POST: %s %s', async (method, path) => {
    const { body, pulled } = inPieces(new Uint8Array(KIB), 1000)
    const before = pulled.pieces
    const answer = await openHttp().send(method, path, { body })
    expect(answer).toMatchObject(answers(404, 'Endpoint not found'))
    expect(pulled.pieces - before).toBeLessThanOrEqual(1)
  })

  test.each([
    ['POST', '/nothing'],
    ['POST', '/webhook/stripe'],
    ['GET', '/health'],
    ['GET', '/payment/success'],
  ])(
    'that is not read ends its connection where it is in chunks or beyond 4 MiB: %s %s',
    async (method, path) => {
      const http = openHttp()
      const connection = async (headers: Record<string, string>) =>
        (await http.send(method, path, { headers })).header('connection')
      expect(await connection({ 'content-length': String(4096 * KIB) })).toBeNull()
      expect(await connection({ 'content-length': String(4096 * KIB + 1) })).toBe('close')
      expect(await connection({ 'transfer-encoding': 'chunked' })).toBe('close')
      expect(await connection({})).toBeNull()
    },
  )

  test('that a preflight brings ends its connection in the same way', async () => {
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'POST' }
    const http = openHttp()
    const connection = async (headers: Record<string, string>) => {
      const sent = { headers: { ...preflight, ...headers } }
      return (await http.send('OPTIONS', '/auth/login', sent)).header('connection')
    }
    expect(await connection({ 'content-length': String(4096 * KIB) })).toBeNull()
    expect(await connection({ 'content-length': String(4096 * KIB + 1) })).toBe('close')
    expect(await connection({ 'transfer-encoding': 'chunked' })).toBe('close')
  })

  test('that is read keeps its connection, but for one in chunks, which a trailer may follow', async () => {
    const body = JSON.stringify({ email: EMAIL })
    const connection = async (headers: Record<string, string>) =>
      (await post(body, { ...JSON_TYPE, ...headers })).header('connection')
    expect(await connection({})).toBeNull()
    expect(await connection({ 'transfer-encoding': 'chunked' })).toBe('close')
  })

  test('that breaks off is no request', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error('connection reset'))
      },
    })
    expect(await post(body)).toMatchObject(answers(400, 'Invalid request'))
  })

  test('is given to no route once the limit is reached', async () => {
    const { body, pulled } = inPieces(new Uint8Array(KIB), 1000)
    const before = pulled.pieces
    const limiters = { general: null, auth: countingLimiter(0), premium: null }
    const answer = await openHttp({ limiters }).send('POST', '/auth/login', { body })
    expect(answer).toMatchObject({ status: 429 })
    expect(pulled.pieces - before).toBeLessThanOrEqual(1)
  })
})
