import { afterEach, describe, expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { probe } from '../../../infrastructure/doctor/http-probe.ts'
import { PATIENCE_MS } from '../../support/patience.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

function serve(fetch: (request: Request) => Response | Promise<Response>, tls = {}): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch, ...tls })
  ends.push(() => server.stop(true))
  return Number(server.port)
}

const patience = () => AbortSignal.timeout(PATIENCE_MS)
const look = (url: string) => probe({ url }, patience())

describe('an answer', () => {
  const headers = { 'X-Request-Id': '1' }

  test.each<[string, () => Response, boolean]>([
    ['that is ready', () => Response.json({ status: 'ready' }, { headers }), true],
    ['that says its name', () => Response.json({ name: 'Alibi' }, { headers }), true],
    ['that refuses', () => Response.json({ error: 'Too many requests' }, { headers }), true],
    ['of somebody else with an id', () => new Response('{}', { headers }), false],
    ['that is no JSON', () => new Response('<h1>', { headers }), false],
    ['that is no object', () => Response.json(null, { headers }), false],
    ['without an id', () => Response.json({ status: 'ready' }), false],
    [
      'that is longer than any of ours',
      () => new Response('x'.repeat(200_000), { headers }),
      false,
    ],
  ])('%s is known for what it is', async (_, fetch, isAlibi) => {
    const probe = await look(`http://127.0.0.1:${serve(fetch)}/`)
    expect(probe).toMatchObject({ kind: 'answer', isAlibi })
  })

  test('tells the budget it drew on, the version, and where it redirects to', async () => {
    const port = serve(() =>
      Response.json(
        { name: 'Alibi', version: '1.2.3' },
        {
          status: 308,
          headers: {
            ...headers,
            Location: 'https://www.example.com/',
            'RateLimit-Policy': '"general";q=10;w=900',
            RateLimit: '"general";r=7;t=33',
          },
        },
      ),
    )
    expect(await look(`http://127.0.0.1:${port}/`)).toEqual({
      kind: 'answer',
      status: 308,
      location: 'https://www.example.com/',
      isAlibi: true,
      used: 3,
      version: '1.2.3',
    })
  })

  test('that refuses for the budget says so', async () => {
    const limits = { 'RateLimit-Policy': '"general";q=10;w=900', RateLimit: '"general";r=0;t=33' }
    const port = serve(() => new Response('', { status: 429, headers: limits }))
    expect(await look(`http://127.0.0.1:${port}/`)).toMatchObject({
      used: 11,
    })
  })

  test('comes from the chosen address, with the headers', async () => {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request, self) =>
        Response.json({
          version: `${self.requestIP(request)?.address} ${request.headers.get('x-forwarded-for')} ${request.headers.get('host')}`,
        }),
    })
    ends.push(() => server.stop(true))
    const url = `http://alibi.example:${server.port}/`
    const headers = { 'x-forwarded-for': '198.18.0.1' }
    if (process.platform !== 'linux') {
      process.stdout.write(
        'not tested here: other addresses of loopback are there on Linux alone\n',
      )
      return
    }
    const route = { from: '127.0.0.23', to: '127.0.0.1' }
    expect(await probe({ url, headers, route }, patience())).toMatchObject({
      version: `127.0.0.23 198.18.0.1 alibi.example:${server.port}`,
    })
  })
})

describe('no answer', () => {
  test('is reported where the connection is cut', async () => {
    const cutting = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve))
    ends.push(() => cutting.close())
    const { port } = cutting.address() as AddressInfo
    expect(await look(`http://127.0.0.1:${port}/`)).toMatchObject({ trouble: 'broken' })
  })

  test('is reported for a certificate that does not hold', async () => {
    const folder = temporaryFolder()
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
    ]
    const made = Bun.which('openssl')
      ? Bun.spawnSync(['openssl', ...request, '-keyout', key, '-out', cert, ...subject])
      : null
    if (!made?.success) {
      process.stdout.write('not tested here: there is no openssl to make a certificate\n')
      return
    }
    const tls = { tls: { key: Bun.file(key), cert: Bun.file(cert) } }
    const port = serve(() => new Response(''), tls)
    expect(await look(`https://localhost:${port}/`)).toMatchObject({
      trouble: 'certificate',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    })
  })
})
