// `bun run bench`: how much of a bare Bun server's throughput Alibi keeps, both in one run and on one machine.

import { join } from 'node:path'
import { client } from './support/http/client.ts'
import { FROM_SOURCE } from './support/service/alibi-process.ts'
import { openTemporaryFolder } from './support/temporary-folder.ts'

const CONNECTIONS = 16
const SECONDS = 3
const EMAIL = 'reader@example.com'

const BARE_SERVER = `const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => Response.json({ reason: 'Something came up.', language: 'en', email: 'a@b.co' }),
})
console.log(server.url.origin)`

/** Answers a second, over connections that are kept open and ask again as soon as they are answered. */
async function throughput(url: string, path: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(url)
  const fields = Object.entries({ Host: 'localhost', ...headers })
  const lines = [`GET ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  const request = `${lines.join('\r\n')}\r\n\r\n`
  let answers = 0
  let first = ''
  const ask = () =>
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(request),
        // Every answer asked for here fits into one packet.
        data(socket, chunk) {
          first ||= chunk.toString()
          answers++
          socket.write(request)
        },
      },
    })
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  await Bun.sleep(500)
  answers = 0
  await Bun.sleep(SECONDS * 1000)
  const perSecond = answers / SECONDS
  for (const socket of sockets) socket.terminate()
  if (!first.startsWith('HTTP/1.1 200')) throw new Error(`${path} answered ${first.slice(0, 80)}`)
  return perSecond
}

/** A port on which no process listens at this moment. */
async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop()
  return port
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    try {
      if ((await fetch(`${url}/ready`)).ok) return
    } catch {
      await Bun.sleep(20)
    }
  }
}

async function buyPremium(url: string): Promise<string> {
  const http = client(url)
  async function prove() {
    const { body } = await http.post('/auth/verify-email', { email: EMAIL })
    return http.post('/auth/confirm-email', { email: EMAIL, code: body['devCode'] })
  }
  await prove()
  const { body } = await http.post('/checkout', { email: EMAIL })
  await fetch(String(body['checkoutUrl']), {
    method: 'POST',
    body: new URLSearchParams({ action: 'pay' }),
    redirect: 'manual',
  })
  await http.get(`/payment/success?session_id=${body['sessionId']}`)
  return String((await prove()).body['token'])
}

using folder = openTemporaryFolder()
const bare = Bun.spawn([process.execPath, '-e', BARE_SERVER], { stdout: 'pipe' })
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const alibi = Bun.spawn([...FROM_SOURCE, 'serve'], {
  cwd: folder.path,
  env: {
    APP_ENV: 'development',
    PORT: String(port),
    LOG_FORMAT: 'json',
    RATE_LIMIT_AUTH: 'off',
    RATE_LIMIT_GENERAL: 'off',
    RATE_LIMIT_PREMIUM: 'off',
  },
  stdout: Bun.file(join(folder.path, 'log')),
})
try {
  await untilReady(url)
  const { value } = await bare.stdout.getReader().read()
  const bareUrl = new TextDecoder().decode(value).trim()
  const authorization = `Bearer ${await buyPremium(url)}`
  const base = await throughput(bareUrl, '/')
  console.log(`bare Bun server            1.00  (${Math.round(base)} answers a second)`)
  for (const [path, headers] of [
    ['/languages', {}],
    [`/auth/check?email=${EMAIL}`, {}],
    ['/premium-reasons?lang=sv', { Authorization: authorization }],
  ] as const) {
    const share = (await throughput(url, path, headers)) / base
    console.log(`${path.split('?')[0]?.padEnd(25)}  ${share.toFixed(2)}`)
  }
} finally {
  bare.kill()
  alibi.kill()
  await alibi.exited
}
