import { describe, expect, test } from 'bun:test'
import { createApp } from '../../../interfaces/http/app.ts'
import { FOLDERS, type RateLimitPolicy, ROUTES, rulesOf } from '../../../interfaces/http/paths.ts'
import { openHttp } from '../../support/http/http-client.ts'

describe('the table of routes', () => {
  test('has a row for every route of the app, and no other rows', () => {
    const folders = Object.values(FOLDERS).map(({ path }) => path)
    const routes = createApp(openHttp().options)
      .routes.filter(
        ({ path }) => !folders.some((folder) => path.startsWith(folder)) || isRow(path),
      )
      .map(({ method, path }) => `${method} ${path}`)
    const rows = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`)
    expect(rows.sort()).toEqual(routes.sort())
  })

  test('names each path once', () => {
    const paths = [...Object.values(ROUTES), ...Object.values(FOLDERS)].map(({ path }) => path)
    expect(paths).toEqual([...new Set(paths)])
  })

  test('has a folder within another one before it', () => {
    const folders = Object.values(FOLDERS).map(({ path }) => path)
    for (const [index, folder] of folders.entries()) {
      expect(folders.slice(0, index).filter((earlier) => folder.startsWith(earlier))).toEqual([])
    }
  })
})

describe('a path', () => {
  test.each<[RateLimitPolicy | null, string[]]>([
    ['auth', ['/auth/login', '/auth/token', '/auth/check', '/auth/', '/auth/nothing']],
    ['premium', ['/premium-reasons', '/i18n']],
    [
      'general',
      ['/', '/checkout', '/languages', '/payment/success', '/payment/cancel', '/nothing', '/auth'],
    ],
    ['general', ['//auth/login', '/AUTH/login', '/%61uth/login', '/i18n/', '/I18N', '/healthy']],
    ['general', ['/webhook', '/webhook/', '/webhook/other', '/docs.html', '/apps', '/sandbox']],
    [null, ['/webhook/stripe', '/webhook/payment', '/health', '/ready', '/openapi.json']],
    [null, ['/robots.txt', '/sitemap.xml']],
    ['general', ['/sitemap.xml/', '/robots']],
    [null, ['/app', '/docs', '/sandbox/pay/cs_1', '/assets/app.css', '/assets/words/en.json']],
  ])('has the rate limit %p: %j', (policy, paths) => {
    for (const path of paths) expect(rulesOf(path).policy).toBe(policy)
  })

  test.each([
    [64 * 1024, ['/', '/checkout', '/auth/login', '/auth/x', '/nothing', '/webhook', '/assets/x']],
    [1024 * 1024, ['/webhook/stripe', '/webhook/payment', '/webhook/', '/webhook/other']],
  ])('takes a body of %d bytes: %j', (bytes, paths) => {
    for (const path of paths) expect(rulesOf(path).bodyBytesMax).toBe(bytes)
  })

  test.each(['/auth/request-otp', '/auth/login'])('is deprecated: %s', (path) => {
    expect(rulesOf(path).deprecated).toEqual({
      Deprecation: '@1795219200',
      Link: '</auth/verify-email>; rel="successor-version"',
    })
  })

  test.each(['/auth/verify-email', '/auth/', '/auth/login/', '/', '/nothing', ''])(
    'is not deprecated: %p',
    (path) => expect(rulesOf(path).deprecated).toBeNull(),
  )
})

function isRow(path: string): boolean {
  return Object.values(ROUTES).some((row) => row.path === path)
}
