import type { Language } from '../../../domain/language.ts'
import { html } from './html.ts'
import { type Page, PLAIN_PAGE } from './page.ts'
import type { Words } from './translator.ts'

/** The page for an address at which there is none. */
export function notFoundPage(language: Language, words: Words): Page {
  const title = words('error_not_found')
  return {
    ...PLAIN_PAGE,
    status: 404,
    language,
    brand: html`<span>${words('title')}</span>`,
    skipLink: html`<span>${words('skip_to_content')}</span>`,
    title: `${title} · ${words('title')}`,
    content: html`<div class="card">
<p class="mark" aria-hidden="true"></p>
<h1>${title}</h1>
<div class="actions"><a class="button" href="/app">${words('open_app')}</a></div>
</div>`,
  }
}
