import { describe, expect, onTestFinished, test } from 'bun:test'
import { addressTest, type NetworkConfig } from '../../../infrastructure/config/network-settings.ts'
import { probe } from '../../../infrastructure/doctor/http-probe.ts'
import { checkReach } from '../../../infrastructure/doctor/reach.ts'
import { codeOf } from '../../../infrastructure/files/node-errors.ts'
import { linesOf } from '../../support/findings.ts'
import { serveSilence } from '../../support/http/probed-servers.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { whenLate } from '../../support/stopped-timers.ts'

const TIMEOUT_MS = 150
const NOWHERE = 'http://127.0.0.1:1'

type Own = Partial<NetworkConfig> & Partial<Parameters<typeof checkReach>[1]>

function found({ version = '1.2.3', timeoutMs = PATIENCE_MS, lookUp, ...own }: Own) {
  const network = { publicUrl: null, host: '127.0.0.1', port: 0, isTrustedProxy: () => false }
  const config = { ...network, isIndexed: true, corsOrigins: '*', trustedProxies: [], ...own }
  return checkReach(config as NetworkConfig, { version, timeoutMs, ...(lookUp && { lookUp }) })
}
const lines = async (own: Own) => linesOf(await found(own))

type Served = { answer?: (request: Request) => Response; hostname?: string }

/** What answers, as Alibi does unless told otherwise, and the paths that it was asked for. */
function serveAt({ answer = ready, hostname = '127.0.0.1' }: Served = {}) {
  const paths: string[] = []
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch(request) {
      paths.push(new URL(request.url).pathname)
      return answer(request)
    },
  })
  onTestFinished(() => server.stop(true))
  return { port: Number(server.port), url: `http://127.0.0.1:${server.port}`, paths }
}

const IDENTIFIED = { 'X-Request-Id': '1' }
const ready = () => Response.json({ status: 'ready', version: '1.2.3' }, { headers: IDENTIFIED })
const unready = () => Response.json({ error: 'x' }, { status: 503, headers: IDENTIFIED })

/** Counts each forwarded address by itself, or all requests together. */
function limited({ believes }: { believes: boolean }): (request: Request) => Response {
  const used = new Map<string | null, number>()
  return ({ url, headers }) => {
    if (url.endsWith('/ready')) return ready()
    const client = believes ? headers.get('x-forwarded-for') : null
    const count = (used.get(client) ?? 0) + 1
    used.set(client, count)
    const limits = { 'RateLimit-Policy': '"x";q=9;w=900', RateLimit: `"x";r=${9 - count};t=9` }
    return Response.json({ name: 'Alibi' }, { headers: { ...IDENTIFIED, ...limits } })
  }
}

describe('the check of the service here', () => {
  const first = async (own: Own) => (await found(own))[0]

  test.each(['0.0.0.0', '127.0.0.1'])('asks it straight where HOST is %s', async (host) => {
    const { port, url } = serveAt()
    expect(await lines({ host, port })).toEqual([
      `ok service: ready at ${url}`,
      'skipped public url: PUBLIC_URL is not set',
      'skipped proxy: what is behind PUBLIC_URL has to be ready first',
    ])
  })

  test.each<[string, (() => Response) | null, string, string]>([
    ['none', null, 'warning', 'start the service'],
    ['one that is not ready', unready, 'failed', 'look at the log of the service, and'],
    ['another program', () => new Response('It works!'), 'failed', 'set PORT to another port'],
    ['one that refuses', () => Response.json({ error: 'x' }, { status: 404 }), 'failed', 'PORT'],
  ])('tells what to do about %s', async (_, answer, level, advice) => {
    const port = answer ? serveAt({ answer }).port : 1
    expect(await first({ port })).toMatchObject({
      level,
      advice: expect.stringContaining(advice),
    })
  })

  test('says that a port is not known which is picked at each start', async () => {
    expect((await lines({}))[0]).toStartWith('skipped service: PORT is 0')
  })

  test('gives up in time where nothing answers, and says so without a code', async () => {
    const [silence, { url: publicUrl }] = [serveSilence(), serveSilence()]
    const port = Number(new URL(silence.url).port)
    const question = { publicUrl, port, timeoutMs: TIMEOUT_MS }
    expect(await whenLate(TIMEOUT_MS, () => lines(question), silence.isAsked)).toEqual([
      `failed service: ${silence.url} does not answer in time`,
      expect.stringMatching(/^failed public url: .+ does not answer in time/),
      expect.stringMatching(/^skipped proxy: /),
    ])
  })

  test('asks it in time where the name servers keep silent', async () => {
    const { port, url, paths } = serveAt()
    const lookUp = () => new Promise<never>(() => {})
    const question = { publicUrl: 'https://alibi.example', port, lookUp }
    // The answer to a question that is put later comes later.
    async function isAnswered(): Promise<boolean> {
      const later = { url: `${url}/later` }
      return paths.includes('/ready') && (await probe(later, AbortSignal.any([]))).kind === 'answer'
    }
    expect((await whenLate(PATIENCE_MS, () => lines(question), isAnswered)).slice(0, 2)).toEqual([
      `ok service: ready at ${url}`,
      'failed public url: the name in https://alibi.example is not known (EAI_AGAIN)',
    ])
  })

  test('warns of another version that serves', async () => {
    const { port, url: publicUrl } = serveAt()
    expect(await lines({ publicUrl, port, version: '1.2.4' })).toContain(
      'warning service: version 1.2.3 serves, and this executable is 1.2.4',
    )
  })
})

describe('the check of PUBLIC_URL', () => {
  const second = async (publicUrl: string, own: Own = {}) =>
    (await lines({ publicUrl, ...own }))[1] ?? ''

  test('warns of an Alibi that is another one, since nothing listens here', async () => {
    const { url, port } = serveAt()
    expect(await second(url, { port })).toStartWith('ok public url: ')
    expect(await second(url)).toStartWith('ok public url: ')
    expect(await second(url, { port: 1 })).toMatch(/^warning .+ and not to http:\/\/127.0.0.1:1,/)
  })

  const answering = (status: number, headers = {}) => new Response('', { status, headers })

  test.each<[string, () => Response, string]>([
    ['is not ready', unready, 'leads to the service, which is not ready'],
    ['is a proxy by itself', () => answering(502), 'does not reach the service (HTTP 502)'],
    ['is a proxy that waits', () => answering(504), 'does not reach the service (HTTP 504)'],
    ['is a closed proxy', () => answering(503), 'does not reach the service (HTTP 503)'],
    ['is another program', () => answering(200), 'is not Alibi (HTTP 200)'],
    ['knows no such page', () => answering(404), 'is not Alibi (HTTP 404)'],
    [
      'redirects',
      () => answering(308, { location: 'https://x.example/' }),
      'to https://x.example/',
    ],
  ])('fails where what answers %s', async (_, answer, text) => {
    const { url } = serveAt({ answer })
    const line = await second(url)
    expect(line).toStartWith('failed public url: ')
    expect(line).toContain(url)
    expect(line).toContain(text)
  })

  test('fails where there is no answer, by what the trouble is', async () => {
    expect(await second(NOWHERE)).toBe(
      `failed public url: nothing listens at ${NOWHERE} (ECONNREFUSED)`,
    )
    expect(await second('https://no-such-name.invalid')).toContain('the name in https://no-such')
    expect(await second(serveAt().url.replace('http:', 'https:'))).toContain('does not speak TLS')
  })

  test('says in its advice where the service listens', async () => {
    const { url: publicUrl } = serveAt({ answer: () => answering(502) })
    expect((await found({ publicUrl, port: 1 }))[1]?.advice).toContain(NOWHERE)
    expect((await found({ publicUrl }))[1]?.advice).toContain('HOST and PORT')
  })
})

describe('the check of the proxy', () => {
  const proxy = async (own: Own) => (await lines(own)).at(-1)

  test('looks at no program that only answers with 200', async () => {
    const { url: publicUrl } = serveAt({ answer: () => new Response('It works!') })
    expect(await proxy({ publicUrl })).toStartWith('skipped proxy: what is behind PUBLIC_URL')
  })

  test('fails where a visitor gets a budget for each address that is made up, by two requests', async () => {
    const believing = serveAt({ answer: limited({ believes: true }) })
    expect(await proxy({ publicUrl: believing.url })).toStartWith('failed proxy: whoever sends')
    expect(believing.paths).toEqual(['/ready', '/', '/'])
    const { url: publicUrl } = serveAt({ answer: limited({ believes: false }) })
    expect(await proxy({ publicUrl })).toBe('ok proxy: a forged X-Forwarded-For is not believed')
  })

  test('says nothing without a RateLimit', async () => {
    expect(await proxy({ publicUrl: serveAt().url })).toStartWith('skipped proxy: no answer has')
  })

  test('tells nothing from a machine that is trusted itself, by an address of its own', async () => {
    if (process.platform !== 'linux') {
      process.stdout.write('not tested here: other addresses of loopback are on Linux alone\n')
      return
    }
    for (const [trusted, line] of [
      ['127.0.0.16/28', 'skipped proxy: it cannot be told from this machine'],
      ['127.0.0.1', 'failed proxy: '],
    ] as const) {
      const { url: publicUrl } = serveAt({ answer: limited({ believes: true }) })
      expect(await proxy({ publicUrl, isTrustedProxy: addressTest([trusted]) })).toStartWith(line)
    }
  })

  test('tells nothing of a trusted visitor over IPv6, whose loopback is a single address', async () => {
    try {
      const { port } = serveAt({ hostname: '::1', answer: limited({ believes: true }) })
      const question = { publicUrl: `http://[::1]:${port}`, host: '::1', port }
      const isTrustedProxy = addressTest(['::1'])
      expect(await proxy({ ...question, isTrustedProxy })).toStartWith('skipped proxy: it cannot')
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' && codeOf(error) !== 'EADDRNOTAVAIL') throw error
      process.stdout.write('not tested here: this machine has no IPv6\n')
    }
  })
})
