import { describe, expect, onTestFinished, test } from 'bun:test'
import { addressTest } from '../../../infrastructure/config/network-settings.ts'
import { probe } from '../../../infrastructure/doctor/http-probe.ts'
import { probeReach } from '../../../infrastructure/doctor/reach.ts'
import { codeOf } from '../../../infrastructure/files/node-errors.ts'
import { serve, serveSilence } from '../../support/http/probed-servers.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { whenLate } from '../../support/stopped-timers.ts'

const TIMEOUT_MS = 150

describe('the way to the service', () => {
  const forgedAddresses = ['198.18.0.1', '198.18.0.2'] as const
  const WAY = { isTrustedProxy: () => false, forgedAddresses, timeoutMs: PATIENCE_MS }

  /** What answers as Alibi does, at an address of this machine. */
  function serveAt(hostname: string, asked: (path: string) => void = () => {}): number {
    function fetch({ url }: Request): Response {
      asked(new URL(url).pathname)
      const headers = { 'X-Request-Id': '1', RateLimit: '"x";r=3' }
      return Response.json({ status: 'ready' }, { headers })
    }
    const server = Bun.serve({ hostname, port: 0, fetch })
    onTestFinished(() => server.stop(true))
    return Number(server.port)
  }
  test.each(['0.0.0.0', '127.0.0.1'])('is asked straight where HOST is %s', async (host) => {
    const port = serveAt('127.0.0.1')
    const facts = await probeReach({ ...WAY, publicUrl: null, host, port })
    const localUrl = `http://127.0.0.1:${port}`
    expect(facts).toMatchObject({ localUrl, localAnswer: { isAlibi: true }, proxy: null })
  })

  test('is asked straight, in time, where the name servers keep silent', async () => {
    const paths: string[] = []
    const port = serveAt('127.0.0.1', (path) => paths.push(path))
    const question = { ...WAY, publicUrl: 'https://alibi.example', host: '127.0.0.1', port }
    const lookUp = () => new Promise<never>(() => {})
    // The answer to a question that is put later comes later.
    async function isAnswered(): Promise<boolean> {
      const later = { url: `http://127.0.0.1:${port}/later` }
      return paths.includes('/ready') && (await probe(later, AbortSignal.any([]))).kind === 'answer'
    }
    const facts = await whenLate(PATIENCE_MS, () => probeReach({ ...question, lookUp }), isAnswered)
    expect(facts).toMatchObject({
      localAnswer: { isAlibi: true, status: 200 },
      publicAnswer: { trouble: 'unknown_name', code: 'EAI_AGAIN' },
    })
  })

  test('is not looked at where another program answers with 200', async () => {
    const publicUrl = serve(() => new Response('It works!'))
    expect((await probeReach({ ...WAY, publicUrl, host: '127.0.0.1', port: 1 })).proxy).toBeNull()
  })

  test.each([
    [['127.0.0.1'], false],
    [['127.0.0.16/28'], true],
  ])(
    'is that of a visitor whom %j trusts or not, by an address of its own',
    async (entries, isVisitorTrusted) => {
      if (process.platform !== 'linux') {
        process.stdout.write('not tested here: other addresses of loopback are on Linux alone\n')
        return
      }
      const port = serveAt('127.0.0.1')
      const publicUrl = `http://127.0.0.1:${port}`
      const isTrustedProxy = addressTest(entries)
      const question = { ...WAY, publicUrl, host: '127.0.0.1', port, isTrustedProxy }
      expect((await probeReach(question)).proxy).toMatchObject({ isVisitorTrusted })
    },
  )

  test('is that of a trusted visitor over IPv6, whose loopback is a single address', async () => {
    try {
      const port = serveAt('::1')
      const isTrustedProxy = addressTest(['::1'])
      const question = { ...WAY, publicUrl: `http://[::1]:${port}`, host: '::1', port }
      const { proxy } = await probeReach({ ...question, isTrustedProxy })
      expect(proxy).toMatchObject({ isVisitorTrusted: true })
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' && codeOf(error) !== 'EADDRNOTAVAIL') throw error
      process.stdout.write('not tested here: this machine has no IPv6\n')
    }
  })

  test('is given up in time where nothing answers', async () => {
    const [silence, { url: publicUrl }] = [serveSilence(), serveSilence()]
    const port = Number(new URL(silence.url).port)
    const question = { ...WAY, publicUrl, host: '127.0.0.1', port, timeoutMs: TIMEOUT_MS }
    const facts = await whenLate(TIMEOUT_MS, () => probeReach(question), silence.isAsked)
    expect(facts).toMatchObject({
      localAnswer: { trouble: 'too_late' },
      publicAnswer: { trouble: 'too_late' },
      proxy: null,
    })
  })
})
