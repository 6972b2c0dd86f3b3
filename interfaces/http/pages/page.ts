import { type Language, textDirection } from '../../../domain/language.ts'
import { type AssetName, assetPath } from './assets.ts'
import { type Html, html, renderHtml } from './html.ts'

/** All that one page is, before it becomes an answer. */
export type Page = {
  readonly status: number
  readonly language: Language
  readonly title: string
  /** What stands inside `<main>`. */
  readonly content: Html
  readonly footer: Html | null
  /** More for the `<head>`. */
  readonly head: Html | null
  readonly script: AssetName | null
  /** Where its forms may lead, redirects included, as a CSP source list. */
  readonly formAction: string
  readonly look: 'ordinary' | 'wide' | 'sandbox'
}

/** A page without forms, scripts and surprises, to start from. */
export const PLAIN_PAGE = {
  status: 200,
  footer: null,
  head: null,
  script: null,
  formAction: "'none'",
  look: 'ordinary',
} as const satisfies Partial<Page>

export function pageAnswer(page: Page, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(renderPage(page), {
    status: page.status,
    headers: { ...pageHeaders(page), 'cache-control': 'no-store', ...headers },
  })
}

export function pageHeaders({ language, script, formAction }: Page): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(script ? ["script-src 'self'", "connect-src 'self'"] : []),
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-language': language,
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    vary: 'Accept-Language',
  }
}

export function renderPage({ language, title, content, footer, head, script, look }: Page): string {
  return renderHtml(html`<!doctype html>
<html lang="${language}" dir="${textDirection(language)}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('page.css')}">
${head}${script && html`<script src="${assetPath(script)}" defer></script>\n`}</head>
<body class="${look}">
<main>
${content}
</main>
${footer}
</body>
</html>
`)
}
