import type { PaymentStatus } from '../../../application/check-payment.ts'
import type { Language } from '../../../domain/language.ts'
import { type Html, html } from './html.ts'
import { type Page, PLAIN_PAGE } from './page.ts'
import type { Words } from './words.ts'

export type PaymentPageState = PaymentStatus | 'invalid' | 'unavailable' | 'cancel'

const STATUS: Readonly<Record<PaymentPageState, number>> = {
  active: 200,
  processing: 200,
  unpaid: 200,
  cancel: 200,
  invalid: 400,
  unknown: 404,
  unavailable: 503,
}

// Rare enough that a visitor without scripts stays within the ten requests in fifteen minutes.
const REFRESH_WITHOUT_SCRIPT_SECONDS = 120

/** What a buyer reads on the way back from the provider. It names no address, no amount and no session. */
export function paymentPage(state: PaymentPageState, language: Language, words: Words): Page {
  const title = words(`payment_${state}_title`)
  const isProcessing = state === 'processing'
  return {
    ...PLAIN_PAGE,
    status: STATUS[state],
    language,
    title: `${title} · ${words('title')}`,
    head: isProcessing
      ? html`<noscript><meta http-equiv="refresh" content="${REFRESH_WITHOUT_SCRIPT_SECONDS}"></noscript>\n`
      : null,
    script: isProcessing ? 'refresh.js' : null,
    content: html`<div id="answer" role="status" data-state="${state}">
<p class="mark" aria-hidden="true"></p>
<h1>${title}</h1>
<p id="text">${words(`payment_${state}_text`)}</p>
${isProcessing && html`<p id="later" hidden>${words('payment_processing_later')}</p>`}
<p class="actions">${nextStep(state, words)}</p>
</div>`,
  }
}

/** An empty `href` is this very page, asked for again. */
function nextStep(state: PaymentPageState, words: Words): Html {
  switch (state) {
    case 'processing':
      return html`<a href="/app">${words('open_app')}</a>`
    case 'active':
      return html`<a class="button" href="/app#sign-in">${words('open_app')}</a>`
    case 'unavailable':
      return html`<a class="button" href="">${words('retry')}</a> <a href="/app">${words('open_app')}</a>`
    case 'unpaid':
    case 'unknown':
    case 'invalid':
    case 'cancel':
      return html`<a class="button" href="/app">${words('open_app')}</a>`
  }
}
