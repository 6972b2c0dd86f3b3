import { expect } from 'bun:test'
import type { Ports } from '../../../application/ports.ts'
import type { SandboxCheckout } from '../../../application/sandbox-checkout.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import { pageRoutes } from '../../../interfaces/http/app.ts'
import { newRequestId, REQUEST_ID } from '../../../interfaces/http/request/exchange.ts'
import { securityHeaders } from '../../../interfaces/http/response/security-headers.ts'
import { checkAnswer } from '../answers/checked-answers.ts'
import { fakePorts } from '../fakes.ts'
import { unlimitedOptions } from './http-options.ts'

/** The words that the executable carries. */
export const realContent = builtInContent()

/** A visitor with a browser, but without a mouse, without scripts and without patience. */
export function visitor({
  ports = {},
  sandbox = null,
  openApiDocument = () => ({}),
  isIndexed = true,
}: {
  ports?: Partial<Ports>
  sandbox?: SandboxCheckout | null
  openApiDocument?: () => unknown
  isIndexed?: boolean
} = {}) {
  const fakes = fakePorts({ content: realContent, ...ports })
  const options = { ...unlimitedOptions(fakes), sandbox, isIndexed, development: true }
  const app = pageRoutes(options, openApiDocument)

  async function visit(path: string, init: RequestInit = {}) {
    const request = new Request(`http://localhost:3000${path}`, init)
    const response = await app.handle(request)
    // The answer to a fault is not a page.
    if (response.status !== 500) await checkAnswer(request, response, asSent(response.headers))
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return {
    ports: fakes,
    app,
    get: (path: string, headers: Record<string, string> = {}) => visit(path, { headers }),
    submit: (path: string, form: string, headers: Record<string, string> = {}) =>
      visit(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: form,
      }),
  }
}

/** With what the handler puts on every answer. */
function asSent(own: Headers): Headers {
  const headers = new Headers(own)
  headers.set(REQUEST_ID, newRequestId())
  for (const [name, value] of Object.entries(securityHeaders({ isHttps: false }))) {
    if (!headers.has(name)) headers.set(name, value)
  }
  return headers
}

export type Visited = Awaited<ReturnType<ReturnType<typeof visitor>['get']>>

/** The rules that every page has to keep. None may be listed by search engines but one that says so. */
export function expectDecentPage(
  { headers, text }: Visited,
  { isIndexed = false }: { isIndexed?: boolean } = {},
): void {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('x-robots-tag')).toBe(isIndexed ? null : 'noindex')
  expect(text.includes('<meta name="robots" content="noindex">')).toBe(!isIndexed)
  expect(text).toContain(`<html lang="${headers.get('content-language')}" dir=`)

  const policy = (headers.get('content-security-policy') ?? '').split('; ')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("base-uri 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy.some((rule) => rule.startsWith('form-action '))).toBe(true)
  expect(policy.join(';')).not.toMatch(/unsafe|\*|data:|https:/)

  expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i)
  for (const [tag] of text.matchAll(/<script[^>]*>/g)) {
    expect(tag).toMatch(/ src="\/assets\/| type="application\/json"/)
  }
  // What names the page's own public address loads nothing.
  const loading = text.replace(/<link rel="(?:canonical|alternate)"[^>]*>/g, '')
  for (const [, address] of loading.matchAll(/\s(?:src|href|action)="([^"]*)"/g)) {
    expect(address).not.toMatch(/^\/\//)
    if (/^[a-z]+:/i.test(address!)) expect(address).toStartWith('http://localhost:3000/')
  }
}
