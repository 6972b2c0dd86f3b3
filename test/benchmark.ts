// `bun run bench`: how much of a bare Bun server's throughput Alibi keeps, both in one run and on one machine.

import { client } from './support/http/client.ts'
import { throughput } from './support/http/throughput.ts'
import { startMeasured } from './support/service/measured-alibi.ts'

const EMAIL = 'reader@example.com'

const BARE_SERVER = `const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => Response.json({ reason: 'Something came up.', language: 'en', email: 'a@b.co' }),
})
console.log(server.url.origin)`

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

await using alibi = await startMeasured({
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_GENERAL: 'off',
  RATE_LIMIT_PREMIUM: 'off',
})
const { url } = alibi
const bare = Bun.spawn([process.execPath, '-e', BARE_SERVER], { stdout: 'pipe' })
try {
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
    const share = (await throughput(url, path, { headers })) / base
    console.log(`${path.split('?')[0]?.padEnd(25)}  ${share.toFixed(2)}`)
  }
} finally {
  bare.kill()
}
