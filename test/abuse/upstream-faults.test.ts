import { afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { exchangeRaw, statusesOf } from '../support/http/raw-exchange.ts'
import { openTemporaryFolder } from '../support/temporary-folder.ts'

/*
 * What docs/upstream.md reports about Bun. A test that fails here says that a release of Bun has mended it: then the
 * report goes, and with it what the code does about it.
 */

const MENDED = (report: string) =>
  `Bun ${Bun.version} has mended "${report}": remove it from docs/upstream.md, and what works around it`

const servers: Bun.Server<undefined>[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true)
})

/** Of a server that has nothing but Bun. */
function ask(
  text: string,
  fetch: (request: Request) => Response | Promise<Response> = ({ url, headers }) =>
    Response.json({ url, host: headers.get('host') }),
): Promise<string> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
  servers.push(server)
  return exchangeRaw(connect(server.port!, '127.0.0.1'), text)
}

const CLOSE = 'Connection: close\r\n'
const WITH_TRAILER =
  'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Trailer: one\r\n\r\n'

test.each(['FOO', 'get'])('Bun answers nothing to the method %s', async (method) => {
  const answer = await ask(`${method} / HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`)
  expect(answer, MENDED('A method that Bun does not know')).toBe('')
})

describe('Bun takes a request', () => {
  test('with two Host lines, and gives each to another reader', async () => {
    const answer = await ask(`GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n${CLOSE}\r\n`)
    expect(answer, MENDED('Two Host lines')).toEndWith(
      '{"url":"http://a.test/","host":"a.test, b.test"}',
    )
  })

  test('with a Host that is none, and gives it a URL that is none', async () => {
    const answer = await ask(`GET /p HTTP/1.1\r\nHost: a b\r\n${CLOSE}\r\n`)
    expect(answer, MENDED('A Host that is none')).toEndWith('{"url":"/p","host":"a b"}')
  })
})

describe('at a trailer behind chunks, Bun', () => {
  const report = MENDED('A trailer behind chunks')

  test('answers a second time where the first answer was quick', async () => {
    const answer = await ask(WITH_TRAILER)
    expect(statusesOf(answer), report).toEqual([200, 400])
  })

  test('does not send an answer that comes later', async () => {
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<string>()
    const { promise: answered, resolve: answerIt } = Promise.withResolvers<Response>()
    const answer = await ask(WITH_TRAILER, async (request) => {
      isAsked(await request.text())
      return answered
    })
    answerIt(new Response('late'))
    expect(await asked).toBe('hello')
    expect(answer, report).toStartWith('HTTP/1.1 400 ')
  })
})

test('Bun writes style sheets for browsers that know :-webkit-any() and not :is()', async () => {
  using folder = openTemporaryFolder()
  const file = join(folder.path, 'style.css')
  await Bun.write(file, 'a :is(b, i) { inset-inline-start: 0 }')
  const { outputs } = await Bun.build({ entrypoints: [file], minify: true, target: 'browser' })
  expect(await outputs[0]?.text(), MENDED('Style sheets for the browsers of 2020')).toContain(
    ':-webkit-any(',
  )
})
