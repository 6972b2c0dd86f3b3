import { afterEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Handler } from '../../../interfaces/http/handler.ts'
import { type Listener, listen } from '../../../interfaces/http/listen.ts'
import { BODY_GRACE_MS, BODY_MAX_MS } from '../../../interfaces/http/request/body/body.ts'
import { pass } from '../../support/http/arriving-body.ts'
import { answers, countingLimiter, EMAIL, openHttp } from '../../support/http/http-client.ts'
import { statusesOf } from '../../support/http/raw-exchange.ts'
import { stopTimers } from '../../support/stopped-timers.ts'

/** More than the system takes of an answer that no client reads. */
const LARGE = 20_000_000
/** In the time of so many requests, one after the other, everything comes that waits for no timer. */
const TURNS = 100

const opened: Listener[] = []

function open(handler?: Handler): Listener {
  const listener = listen({ host: '127.0.0.1', port: 0 })
  opened.push(listener)
  if (handler) listener.use(handler)
  return listener
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.stop()))
})

/** Sends these very bytes and returns all that comes back until the other side closes. */
function exchange({ port }: Listener, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (data) => {
      received += data
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
}

/** Lets happen what waits for no timer. */
async function turns({ url }: Listener): Promise<void> {
  for (let asked = 0; asked < TURNS; asked++) await fetch(`${url}/health`)
}

async function read(response: Response) {
  return { status: response.status, body: await response.json() }
}

describe('listen', () => {
  test('picks a free port and says which', async () => {
    const listener = open(async () => new Response('hello'))
    expect(listener.port).toBeGreaterThan(0)
    expect(listener.url).toBe(`http://127.0.0.1:${listener.port}`)
    expect(await (await fetch(listener.url)).text()).toBe('hello')
  })

  test('does not share a port that is taken', () => {
    const { port } = open()
    expect(() => listen({ host: '127.0.0.1', port })).toThrow(`Is port ${port} in use?`)
  })

  test('answers 503 until it knows who answers', async () => {
    const listener = open()
    const early = await fetch(listener.url)
    expect(early.headers.get('retry-after')).toBe('30')
    expect(early.headers.get('x-request-id')).toBeString()
    expect(early.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await read(early)).toEqual(answers(503, 'Temporarily unavailable'))

    listener.use(async () => new Response('ready'))
    expect((await fetch(listener.url)).status).toBe(200)
  })

  test.each([
    ['an error', new Error('private')],
    ['null', null],
    ['a string', 'private'],
  ])('answers 500 when a handler throws, or rejects with, %s', async (_, fault) => {
    const throwing = () => {
      throw fault
    }
    for (const handler of [throwing, async () => throwing()]) {
      const response = await fetch(open(handler).url)
      expect(response.headers.get('content-type')).toStartWith('application/json')
      expect(response.headers.get('x-request-id')).toBeString()
      expect(await read(response)).toEqual(answers(500, 'Internal server error'))
    }
  })

  test("tells the handler its peer's address", async () => {
    let told: string | null = null
    const listener = open(async (_, peerAddress) => {
      told = peerAddress()
      return new Response()
    })
    await fetch(listener.url)
    expect(String(told)).toBe('127.0.0.1')
  })

  test('finishes the answers under way before it has stopped, and takes no new ones', async () => {
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<Response>()
    const listener = open(() => {
      arrived.resolve()
      return released.promise
    })
    const underWay = fetch(listener.url)
    await arrived.promise

    let hasStopped = false
    const stopped = listener.stop().then(() => {
      hasStopped = true
    })
    await expect(fetch(listener.url)).rejects.toThrow('ECONNREFUSED')
    expect(hasStopped).toBe(false)

    released.resolve(new Response('finished'))
    expect(await (await underWay).text()).toBe('finished')
    await stopped
  })

  test('tells clients to come by another connection while it drains, and no sooner', async () => {
    const listener = open(async () => new Response('hello'))
    const ask = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
    const socket = connect(listener.port, '127.0.0.1', () => socket.write(ask))
    const answersHeard: string[] = []
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    const first = new Promise<void>((resolve) =>
      socket.on('data', (data) => {
        answersHeard.push(String(data))
        resolve()
      }),
    )
    await first
    const parted = listener.drain()
    socket.write(ask)
    await closed
    await parted

    expect(answersHeard).toHaveLength(2)
    expect(answersHeard[0]?.toLowerCase()).not.toContain('connection: close')
    expect(answersHeard[1]?.toLowerCase()).toContain('connection: close')
    expect(answersHeard[1]).toEndWith('hello')
    expect(await (await fetch(listener.url)).text()).toBe('hello')
  })

  test('an answer that takes longer than half a request is waited for arrives before it has stopped', async () => {
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<Response>()
    const listener = open(() => {
      arrived.resolve()
      return released.promise
    })
    const answer = fetch(listener.url)
    await arrived.promise
    const stopped = listener.stop()
    // Its timer is of this process and was set later, so that it also comes later.
    await Bun.sleep(BODY_GRACE_MS + 500)
    released.resolve(new Response('late'))
    expect(await (await answer).text()).toBe('late')
    await stopped
  })

  test('has drained after half a second where a client asks again and again, else sooner', async () => {
    const listener = open(async () => new Response('hello'))
    using _ = stopTimers()
    let drained = 0
    const drain = () => void listener.drain().then(() => drained++)
    drain()
    await pass(50)
    expect(drained).toBe(1)

    drain()
    for (let passedMs = 0; passedMs < 500; passedMs += 50) {
      expect(drained).toBe(1)
      await fetch(listener.url)
      await pass(50)
    }
    expect(drained).toBe(2)
  })

  test('an answer that its reader takes slowly is sent to its end before it has stopped', async () => {
    const arrived = Promise.withResolvers<void>()
    const listener = open(async () => {
      arrived.resolve()
      return new Response('x'.repeat(LARGE))
    })
    const socket = connect(listener.port, '127.0.0.1')
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await arrived.promise

    const stopped = listener.stop()
    const received = Array.fromAsync(socket, (chunk: Buffer) => chunk.length)
    expect((await received).reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(LARGE)
    await stopped
  })

  test('a client that has sent half a request does not delay the stop for long, and may still send the rest', async () => {
    const [listener, other] = [open(async () => new Response('hello')), open()]
    const sockets = [
      connect(listener.port, '127.0.0.1'),
      connect(listener.port, '127.0.0.1'),
    ] as const
    const [silent, late] = sockets
    for (const socket of sockets) {
      await once(socket, 'connect')
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    }
    let heard = ''
    late.on('data', (data) => {
      heard += data
    })
    silent.on('error', () => {}).resume()
    const ended = once(silent, 'close')
    await fetch(listener.url)

    // No test is given up while its timers stand still, so that it waits for nothing that might not come.
    using _ = stopTimers()
    let hasStopped = false
    void Promise.all([listener.stop(), ended]).then(() => {
      hasStopped = true
    })
    await pass(BODY_GRACE_MS - 1)
    late.write('\r\n')
    await turns(other)
    expect([heard.endsWith('hello'), hasStopped]).toEqual([true, false])
    await pass(1)
    // By itself Bun ends such a connection, too, but only after some seconds.
    await turns(other)
    expect(hasStopped).toBe(true)
  })
})

/** What a request line and a Host header make of `POST /auth/login`, whose own answer to `{}` is Invalid email. */
function openLimited() {
  const limiters = {
    general: countingLimiter(1000),
    auth: countingLimiter(1000),
    premium: countingLimiter(1000),
  }
  const http = openHttp({ limiters })
  const listener = open(http.handler)
  return {
    ...http,
    listener,
    async post(target: string, host: string | null = 'localhost', version = '1.1') {
      const hostLine = host === null ? '' : `Host: ${host}\r\n`
      const answer = await exchange(
        listener,
        `POST ${target} HTTP/${version}\r\n${hostLine}Connection: close\r\n` +
          'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
      )
      return {
        status: Number(answer.slice(9, 12)),
        isFromLogin: answer.includes('Invalid email'),
        policy: /^ratelimit-policy: "(\w+)"/im.exec(answer)?.[1] ?? null,
      }
    },
  }
}

describe('over a socket', () => {
  test.each([
    '/auth/login',
    '/auth/login?/health',
    '/auth/login#/health',
    'http://evil.example/auth/login',
    'http://a/auth/login',
  ])('POST %s reaches the login under the limit of the login', async (target) => {
    expect(await openLimited().post(target)).toEqual({
      status: 400,
      isFromLogin: true,
      policy: 'auth',
    })
  })

  test.each([
    '/auth/../auth/login',
    '/premium-reasons/../auth/login',
    '/health/../auth/login',
    '/webhook/stripe/../../auth/login',
    '/sandbox/%2e%2e/auth/login',
    '/sandbox/%2E./auth/login',
    '/%2e%2e/auth/login',
    '/./auth/login',
    'http://localhost/health/../auth/login',
  ])('POST %s is no path of ours', async (target) => {
    expect(await openLimited().post(target)).toEqual({
      status: 404,
      isFromLogin: false,
      policy: 'general',
    })
  })

  test.each([
    '//auth/login',
    '///auth/login',
    '/AUTH/login',
    '/auth/Login',
    '/auth/login/',
    '/auth//login',
    '/%61uth/login',
    '/auth%2flogin',
    '/auth%5clogin',
    '/auth/login%00',
    '/auth/login%20',
    '/auth;x/login',
    '/auth/login;x',
    '/sandbox/..%2fauth/login',
    '/health?/auth/login',
    '/health#/auth/login',
    '/app/auth/login',
    'auth/login',
    '\\auth\\login',
    '*',
    'http://a/x/auth/login',
    'http://auth/login',
  ])('POST %s does not reach the login', async (target) => {
    const { status, isFromLogin } = await openLimited().post(target)
    expect(isFromLogin).toBe(false)
    expect([400, 404]).toContain(status)
  })

  test.each([
    'a',
    'localhost',
    'x/health?',
    'localhost/sandbox/',
    'x#',
    'x\\health',
    'a b',
    '',
    '../',
    'user@host',
    'a, b',
    '[::1',
    '[::1]:80',
    'evil.example:99999',
    'x'.repeat(300),
    `a\r\nHost: b/health?`,
  ])('no Host header moves the login out of its limit: %p', async (host) => {
    const answer = await openLimited().post('/auth/login', host)
    if (answer.isFromLogin) expect(answer).toMatchObject({ status: 400, policy: 'auth' })
    else expect(answer.status).toBe(400)
  })

  test('a Host header does not make a path of another one', async () => {
    for (const [host, status] of [
      ['x/auth/login?', 400],
      ['x/auth/login#', 400],
      ['h', 404],
    ] as const) {
      expect(await openLimited().post('/health', host)).toMatchObject({
        status,
        isFromLogin: false,
      })
    }
  })

  test.each(['1.2.3.4.5', 'a.0x', 'xn--a'])(
    'a Host header that is none fails no page: %p',
    async (host) => {
      const { listener } = openLimited()
      for (const path of ['/app', '/payment/cancel', '/payment/success', '/languages']) {
        const answer = await exchange(
          listener,
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        )
        expect(answer).toStartWith('HTTP/1.1 400 ')
      }
    },
  )

  test('HTTP/1.0 needs no Host', async () => {
    expect(await openLimited().post('/auth/login', null, '1.0')).toEqual({
      status: 400,
      isFromLogin: true,
      policy: 'auth',
    })
  })

  test('HEAD announces the length and sends nothing', async () => {
    const { listener, get } = openLimited()
    const { text } = await get('/languages')
    const answer = await exchange(
      listener,
      'HEAD /languages HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    const [head = '', body] = answer.split('\r\n\r\n')
    expect(head.toLowerCase()).toContain(`\r\ncontent-length: ${text.length}`)
    expect(head.toLowerCase().match(/content-length/g)).toHaveLength(1)
    expect(body).toBe('')
  })

  test.each([
    ['announced', 'Connection: close\r\nContent-Length: 70000\r\n\r\n', BODY_GRACE_MS],
    [
      'in pieces',
      `Transfer-Encoding: chunked\r\n\r\n11170\r\n${'x'.repeat(0x11170)}\r\n`,
      BODY_MAX_MS,
    ],
  ])(
    'a body that is too large is refused in JSON even if it does not end: %s',
    async (_, rest, waitedMs) => {
      const { listener } = openLimited()
      using _timers = stopTimers()
      const answer = exchange(listener, `POST /checkout HTTP/1.1\r\nHost: x\r\n${rest}`)
      await turns(listener)
      await pass(waitedMs)
      expect(await answer).toStartWith('HTTP/1.1 413 ')
      expect(await answer).toEndWith('{"error":"Request too large"}')
    },
  )

  const REST = 'x'.repeat(1_900_000)
  const KNOWN = `Content-Length: ${REST.length}\r\n`
  const CHUNKS = `${REST.length.toString(16)}\r\n${REST}\r\n0\r\n\r\n`
  const NEXT = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

  test.each([
    ['PUT /app', '1.1', KNOWN, REST + NEXT, 404],
    ['PUT /app', '1.1', `Connection: close\r\n${KNOWN}`, REST, 404],
    ['GET /languages', '1.1', KNOWN, REST + NEXT, 200],
    ['GET /nothing', '1.1', `Connection: close\r\n${KNOWN}`, REST, 404],
    ['PUT /app', '1.1', 'Transfer-Encoding: chunked\r\n', CHUNKS, 404],
    ['OPTIONS /app', '1.1', 'Transfer-Encoding: chunked\r\n', CHUNKS, 404],
    ['POST /webhook/stripe', '1.1', `Connection: close\r\n${KNOWN}`, REST, 400],
    ['POST /checkout', '1.0', `Connection: close\r\n${KNOWN}`, REST, 413],
    ['POST /checkout', '1.1', KNOWN, REST + NEXT, 413],
    ['POST /checkout', '1.1', 'Transfer-Encoding: chunked\r\n', CHUNKS, 413],
  ])(
    'what nobody reads of a request is taken before its connection is closed: %s HTTP/%s',
    async (target, version, headers, rest, status) => {
      const { listener } = openLimited()
      const socket = connect(listener.port, '127.0.0.1')
      const errors: unknown[] = []
      let heard = ''
      socket.on('error', (error) => errors.push(error))
      socket.on('data', (data) => {
        heard += data
      })
      const closed = new Promise((resolve) => socket.on('close', resolve))
      using _timers = stopTimers()
      socket.write(`${target} HTTP/${version}\r\nHost: x\r\n${headers}\r\n`)
      await turns(listener)
      const isAnswered = rest.endsWith(NEXT)
      expect(heard !== '').toBe(isAnswered)
      socket.write(rest)
      if (rest === REST) {
        await turns(listener)
        await pass(BODY_GRACE_MS)
      }
      await closed
      expect(errors).toEqual([])
      expect(statusesOf(heard)).toEqual(isAnswered ? [status, 200] : [status])
    },
  )

  test('a body of some MiB is refused in JSON, and beyond that at all', async () => {
    const { listener } = openLimited()
    const send = (mebibytes: number) =>
      fetch(`${listener.url}/checkout`, { method: 'POST', body: 'x'.repeat(mebibytes << 20) })
    expect(await read(await send(4))).toEqual(answers(413, 'Request too large'))
    expect((await send(9)).status).toBe(413)
  })

  test('an unread body is not taken for the next request', async () => {
    const { listener } = openLimited()
    const hidden = 'GET /languages HTTP/1.1\r\nHost: x\r\n\r\n'
    const answer = await exchange(
      listener,
      `GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}` +
        'GET /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toContain('{"status":"alive"}')
    expect(answer).toContain('{"status":"ready"}')
    expect(answer).not.toContain('"languages"')
  })

  test('a body that had to give way is not taken for the next request, which is answered', async () => {
    const { listener } = openLimited()
    const head = 'POST /checkout HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n{'
    const sockets = Array.from({ length: 9 }, () => connect(listener.port, '127.0.0.1'))
    const answered = Promise.withResolvers<{ ninth: (typeof sockets)[number]; heard: string[] }>()
    for (const socket of sockets) {
      const heard: string[] = []
      socket.on('data', (data) => {
        heard.push(String(data))
        answered.resolve({ ninth: socket, heard })
      })
      socket.write(head)
    }
    const { ninth, heard } = await answered.promise
    expect(heard.join('')).toStartWith('HTTP/1.1 503 ')
    expect(heard.join('').toLowerCase()).not.toContain('connection: close')

    const closed = once(ninth, 'close')
    const hidden = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'.padEnd(39)
    ninth.write(`${hidden}GET /languages HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await closed
    expect(heard).toHaveLength(2)
    expect(heard[1]).toContain('"languages"')
    for (const socket of sockets) socket.destroy()
  })

  test('the whole way of a code works as over a wire', async () => {
    const { listener, ports } = openLimited()
    const post = (path: string, body: object) =>
      fetch(listener.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await post('/auth/verify-email', { email: EMAIL })).status).toBe(200)
    const code = ports.mailer.mails[0]?.code
    expect(await read(await post('/auth/confirm-email', { email: EMAIL, code }))).toMatchObject({
      status: 200,
      body: { success: true, email: EMAIL },
    })
  })
})
