import { afterEach, expect, test } from 'bun:test'
import { healthcheck } from '../../../../interfaces/cli/commands/healthcheck.ts'
import { PATIENCE_MS } from '../../../support/patience.ts'

const servers: ReturnType<typeof Bun.serve>[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop(true))))

function serve(answer: (request: Request) => Response | Promise<Response>, hostname = '127.0.0.1') {
  const server = Bun.serve({ hostname, port: 0, fetch: answer })
  servers.push(server)
  return server.port ?? 0
}

async function check({
  timeoutMs = PATIENCE_MS,
  ...address
}: {
  host: string
  port: number
  timeoutMs?: number
}) {
  const lines: string[] = []
  const print = (text: string) => void lines.push(text)
  const exitCode = await healthcheck({ ...address, timeoutMs, print })
  return { exitCode, lines }
}

const readyOnly = (request: Request) =>
  new Response(null, { status: new URL(request.url).pathname === '/ready' ? 200 : 404 })

test('a service that is ready exits 0 with one line', async () => {
  const port = serve(readyOnly)
  expect(await check({ host: '127.0.0.1', port })).toEqual({
    exitCode: 0,
    lines: [`ready: http://127.0.0.1:${port}/ready`],
  })
})

test.each([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
  ['::1', '::1'],
])('a service that listens on %s is asked at %s', async (host, asked) => {
  const port = serve(readyOnly, host)
  const { exitCode, lines } = await check({ host, port })
  expect(exitCode).toBe(0)
  expect(lines[0]).toContain(asked)
})

test.each([503, 500, 404, 301, 204])('an answer %d exits 1', async (status) => {
  const port = serve(() => new Response(null, { status, headers: { location: '/elsewhere' } }))
  expect(await check({ host: '127.0.0.1', port })).toEqual({
    exitCode: 1,
    lines: [`not ready: http://127.0.0.1:${port}/ready answered ${status}`],
  })
})

test('a service that is not there exits 1', async () => {
  const port = serve(readyOnly)
  await servers.pop()?.stop(true)
  const { exitCode, lines } = await check({ host: '127.0.0.1', port })
  expect(exitCode).toBe(1)
  expect(lines).toEqual([`not ready: http://127.0.0.1:${port}/ready did not answer (ECONNREFUSED)`])
})

test('a service that takes any free port cannot be asked, and exits 1', async () => {
  expect(await check({ host: '127.0.0.1', port: 0 })).toEqual({
    exitCode: 1,
    lines: ['not ready: PORT is 0, so that the service is at a port that only its log tells'],
  })
})

test('a service that hangs exits 1 once the time is up', async () => {
  const port = serve(() => new Promise<Response>(() => {}))
  const { exitCode, lines } = await check({ host: '127.0.0.1', port, timeoutMs: 50 })
  expect(exitCode).toBe(1)
  expect(lines).toEqual([`not ready: http://127.0.0.1:${port}/ready did not answer within 0.05 s`])
})
