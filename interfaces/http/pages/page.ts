import { type Language, textDirection } from '../../../domain/language.ts'
import type { Effort } from '../response/content-encoding.ts'
import { type AssetName, assetPath } from './assets.ts'
import { codedText } from './coded-text.ts'
import { type Html, html, renderHtml } from './html.ts'

/** All that one page is, before it becomes an answer. */
export type Page = {
  readonly status: number
  readonly language: Language
  readonly title: string
  /** The name of the site, at the start of the header. */
  readonly brand: Html
  /** What stands at the end of the header. */
  readonly tools: Html | null
  readonly skipLink: Html
  /** What stands inside `<main>`. */
  readonly content: Html
  readonly footer: Html | null
  /** More for the `<head>`. */
  readonly head: Html | null
  readonly script: AssetName | null
  /** Whether search engines may list it. */
  readonly isIndexed: boolean
  /** Where its forms may lead, redirects included, as a CSP source list. */
  readonly formAction: string
  readonly look: 'app' | 'message' | 'reference' | 'sandbox'
}

/** A page without forms, scripts and surprises, to start from. */
export const PLAIN_PAGE = {
  status: 200,
  brand: html`<span>Alibi</span>`,
  tools: null,
  skipLink: html`<span>Skip to main content</span>`,
  footer: null,
  head: null,
  script: null,
  isIndexed: false,
  formAction: "'none'",
  look: 'message',
} as const satisfies Partial<Page>

/** What a page may ask of the browser: what its buttons do, and nothing else. */
const PERMISSIONS =
  'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=(), clipboard-write=(self)'

/** A page that is made for this request alone. */
export function pageAnswer(request: Pick<Request, 'headers'>, page: Page): Response {
  return answerOf(page, 'each time')(request)
}

/** A page that is the same for many requests, and is put into bytes once for each coding that is asked for. */
export function lastingPage(
  page: Page,
  moreHeaders: Readonly<Record<string, string>> = {},
): PageAnswer {
  return answerOf(page, 'once', moreHeaders)
}

export type PageAnswer = (request: Pick<Request, 'headers'>) => Response

function answerOf(
  page: Page,
  effort: Effort,
  moreHeaders: Readonly<Record<string, string>> = {},
): PageAnswer {
  const ownHeaders = { ...pageHeaders(page), 'cache-control': 'no-store', ...moreHeaders }
  const inCoding = codedText(renderPage(page), ownHeaders, effort)
  return (request) => {
    const { body, headers } = inCoding(request.headers.get('accept-encoding'))
    return new Response(body, { status: page.status, headers })
  }
}

export function pageHeaders({
  language,
  script,
  isIndexed,
  formAction,
}: Page): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(script ? ["script-src 'self'", "connect-src 'self'"] : []),
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "trusted-types 'none'",
    "require-trusted-types-for 'script'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-language': language,
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': PERMISSIONS,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    ...(isIndexed ? {} : { 'x-robots-tag': 'noindex' }),
    vary: 'Accept-Language, Cookie',
  }
}

export function renderPage(page: Page): string {
  const {
    language,
    title,
    brand,
    tools,
    skipLink,
    content,
    footer,
    head,
    script,
    isIndexed,
    look,
  } = page
  return renderHtml(html`<!doctype html>
<html lang="${language}" dir="${textDirection(language)}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${!isIndexed && html`<meta name="robots" content="noindex">\n`}<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('page.css')}">
${head}${script && html`<script type="module" src="${assetPath(script)}"></script>\n`}</head>
<body class="${look}">
<a class="skip" href="#main">${skipLink}</a>
<header><a class="brand" href="/app"><img src="${assetPath('icon.svg')}" alt="" width="32" height="32">${brand}</a>${tools}</header>
<main id="main" tabindex="-1">
${content}
</main>
<footer>${footer}</footer>
</body>
</html>
`)
}
