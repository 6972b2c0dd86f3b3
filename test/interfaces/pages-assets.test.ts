import { describe, expect, test } from 'bun:test'
import { visitor } from './page-visitor.ts'

const TYPES = {
  '/assets/app.js': 'text/javascript; charset=utf-8',
  '/assets/refresh.js': 'text/javascript; charset=utf-8',
  '/assets/page.css': 'text/css; charset=utf-8',
  '/assets/icon.svg': 'image/svg+xml; charset=utf-8',
}

describe.each(Object.entries(TYPES))('%s', (path, type) => {
  test('has its type, a strong tag, and nothing from another host', async () => {
    const { status, headers, text } = await visitor().get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]+"$/)
    expect(text.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:|@import|url\(|eval|innerHTML/,
    )
  })

  test('is not sent again to whoever has it', async () => {
    const { get } = visitor()
    const etag = (await get(path)).headers.get('etag')!
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await get(path, { 'if-none-match': known })
      expect(answer.status).toBe(304)
      expect(answer.text).toBe('')
      expect(answer.headers.get('etag')).toBe(etag)
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })
})

test('pages name assets by their content, and such an address may be kept for ever', async () => {
  const { get } = visitor()
  const pages = [(await get('/app')).text, (await get('/payment/cancel')).text]
  const addresses = pages.flatMap((text) =>
    Array.from(text.matchAll(/"(\/assets\/[^"]+)"/g), ([, address]) => address!),
  )
  expect(addresses.length).toBeGreaterThan(3)
  for (const address of addresses) {
    const { status, headers } = await get(address)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  }
})

test('an address of another version is looked up again each time', async () => {
  const { headers } = await visitor().get('/assets/app.js?v=0')
  expect(headers.get('cache-control')).toBe('public, no-cache')
})
