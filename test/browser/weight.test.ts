import { describe, expect, test } from 'bun:test'
import { browserSetup, type Visit } from '../support/browser/browser-setup.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()

/** All that a first visit may cost, heads of the answers included. */
const FIRST_VISIT_BYTES = 60_000
/** The head of an answer without a body. */
const SAME_AS_BEFORE_BYTES = 1500

type Transfer = { readonly path: string; readonly initiator: string; readonly bytes: number }

/** What a page made the browser fetch, in the order in which it asked, with all that came over the wire. */
async function openAndWeigh({ page, context }: Visit, path: string): Promise<Transfer[]> {
  const session = await context.newCDPSession(page)
  const asked = new Map<string, { path: string; initiator: string }>()
  const bytes = new Map<string, number>()
  session.on('Network.requestWillBeSent', ({ requestId, request, initiator }) => {
    asked.set(requestId, { path: new URL(request.url).pathname, initiator: initiator.type })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.set(requestId, encodedDataLength)
  })
  await session.send('Network.enable')
  await page.goto(path, { waitUntil: 'networkidle' })
  return [...asked].map(([id, request]) => ({ ...request, bytes: bytes.get(id) ?? 0 }))
}

describe('a first visit', () => {
  test.each(['/app', '/app?lang=ja', '/payment/cancel'])(
    'of %s weighs little, and asks for all it needs at once',
    (path) =>
      visit({ url: url(), screen: 'phone' }, async (visitor) => {
        const transfers = await openAndWeigh(visitor, path)
        const total = transfers.reduce((sum, { bytes }) => sum + bytes, 0)
        const lines = transfers.map((one) => `  ${String(one.bytes).padStart(6)} ${one.path}`)
        console.log([`${path} weighs ${total} bytes:`, ...lines].join('\n'))
        expect(total).toBeLessThan(FIRST_VISIT_BYTES)

        const [document, ...others] = transfers
        expect(document?.initiator).toBe('other')
        // The browser comes upon its icon by itself, and asks for it no sooner than for the rest.
        const later = others.filter(
          ({ path, initiator }) => initiator !== 'parser' && !path.endsWith('/icon.svg'),
        )
        expect(later).toEqual([])
      }),
  )

  test('pays for the next one: that fetches nothing, and only asks whether the page is still the same', () =>
    visit({ url: url(), screen: 'phone' }, async (visitor) => {
      await visitor.page.goto('/app', { waitUntil: 'networkidle' })
      const transfers = await openAndWeigh(visitor, '/app')
      const fetched = transfers.filter(({ bytes }) => bytes > 0)
      expect(fetched.map(({ path }) => path)).toEqual(['/app'])
      expect(fetched[0]?.bytes).toBeLessThan(SAME_AS_BEFORE_BYTES)
    }))
})

describe('each file', () => {
  test.each(['gzip', 'zstd'])('comes packed as %s to whoever takes that', async (encoding) => {
    const page = await (await fetch(`${url()}/app`)).text()
    const files = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
    const plain = { 'accept-encoding': 'identity' }
    const packed = { 'accept-encoding': encoding }
    for (const path of new Set(['/app', '/docs', '/payment/cancel', ...files])) {
      const size = async (headers: Record<string, string>) => {
        const response = await fetch(url() + path, { headers, decompress: false })
        expect(response.status).toBe(200)
        return {
          encoding: response.headers.get('content-encoding'),
          bytes: (await response.bytes()).byteLength,
        }
      }
      const whole = await size(plain)
      const small = await size(packed)
      expect(whole.encoding).toBeNull()
      expect(small.encoding).toBe(encoding)
      expect(small.bytes).toBeLessThan(whole.bytes)
    }
  })
})
