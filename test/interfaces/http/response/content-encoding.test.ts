import { describe, expect, test } from 'bun:test'
import { chooseEncoding } from '../../../../interfaces/http/response/content-encoding.ts'
import { openHttp } from '../../../support/http/http-client.ts'
import { visitor } from '../../../support/http/page-visitor.ts'

describe('chooseEncoding', () => {
  test.each([
    [null, null],
    ['', null],
    ['identity', null],
    ['br', null],
    ['deflate, compress', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
    ['gzip;q=0', null],
    ['zstd;q=0, gzip', 'gzip'],
    ['*', 'zstd'],
    ['*;q=0', null],
    ['zstd;q=0, *', 'gzip'],
    ['gzip;q=0.5, identity', null],
    ['gzip;q=0.5, identity;q=0.1', 'gzip'],
    ['gzip;q=nonsense', null],
    ['gzipped', null],
    ['gzip, identity', 'gzip'],
    ['gzip;q = 0', null],
    ['gzip;q=1.5, zstd;q=0.1', 'zstd'],
  ])('%p is answered with %p', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding as never)
  })
})

const PATHS = [
  '/app',
  '/app?lang=ar',
  '/docs',
  '/openapi.json',
  '/payment/cancel',
  '/payment/success',
  '/assets/page.css',
  '/assets/app.js',
  '/assets/words/ja.json',
]

const DECODERS: Record<string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array> = {
  gzip: Bun.gunzipSync,
  zstd: Bun.zstdDecompressSync,
}

describe.each(PATHS)('%s', (path) => {
  const { handler } = openHttp()
  const ask = (acceptEncoding: string, method = 'GET') =>
    handler(
      new Request(`http://localhost${path}`, {
        method,
        headers: { 'accept-encoding': acceptEncoding },
      }),
      () => null,
    )

  test.each(['gzip', 'zstd'])(
    'comes in %s to a client that takes it, and says the same',
    async (coding) => {
      const plain = await ask('identity')
      expect(plain.headers.get('content-encoding')).toBeNull()
      const text = await plain.text()

      for (const _ of ['made', 'remembered']) {
        const coded = await ask(coding)
        expect(coded.status).toBe(plain.status)
        expect(coded.headers.get('content-encoding')).toBe(coding)
        expect(coded.headers.get('vary')).toContain('Accept-Encoding')
        const bytes = new Uint8Array(await coded.arrayBuffer())
        expect(bytes.length).toBeLessThan(text.length)
        expect(new TextDecoder().decode(DECODERS[coding]!(bytes))).toBe(text)
      }
      const { headers } = await ask(coding, 'HEAD')
      expect(Number(headers.get('content-length'))).toBe((await (await ask(coding)).bytes()).length)
    },
  )
})

test('an answer about a token or a code is never compressed together with what a stranger may choose', async () => {
  const { send } = openHttp({ development: true })
  const body = JSON.stringify({ email: 'ada@example.com' })
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip, zstd' }
  const answer = await send('POST', '/auth/verify-email', { headers, body })
  expect(answer.body).toMatchObject({ devCode: expect.any(String) })
  expect(answer.header('content-encoding')).toBeNull()
})

test('the same page is known by the same tag, whatever its language was called by', async () => {
  const { get } = visitor()
  const tagOf = async (path: string) => (await get(path)).headers.get('etag')
  expect(await tagOf('/app?lang=fr')).toBe(await tagOf('/app?lang=fr-CA'))
  expect(await tagOf('/app?lang=fr')).not.toBe(await tagOf('/app?lang=de'))
})
