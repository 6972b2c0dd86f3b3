import type { PaymentStatus } from '../../../application/payments/check-payment.ts'
import type { Language } from '../../../domain/language.ts'
import { type Html, html } from './html.ts'
import { type Page, PLAIN_PAGE } from './page.ts'
import type { Words } from './translator.ts'

export type PaymentPageState = PaymentStatus | 'invalid' | 'cancel'

const STATUS: Readonly<Record<PaymentPageState, number>> = {
  active: 200,
  processing: 200,
  unpaid: 200,
  ended: 200,
  cancel: 200,
  invalid: 400,
  unknown: 404,
  unavailable: 503,
}

// Rare enough that a visitor without scripts stays within the ten requests in fifteen minutes.
const REFRESH_WITHOUT_SCRIPT_SECONDS = 120

/** The page for a buyer who comes back from the provider. It names no address, no amount and no session. */
export function paymentPage(
  state: PaymentPageState,
  language: Language,
  words: Words,
  { status = STATUS[state], text = words(`payment_${state}_text`) } = {},
): Page {
  const title = words(`payment_${state}_title`)
  const isProcessing = state === 'processing'
  const refreshesItself = isProcessing || state === 'unavailable'
  return {
    ...PLAIN_PAGE,
    status,
    language,
    brand: html`<span>${words('title')}</span>`,
    skipLink: html`<span>${words('skip_to_content')}</span>`,
    title: `${title} · ${words('title')}`,
    head: refreshesItself
      ? html`<noscript><meta http-equiv="refresh" content="${REFRESH_WITHOUT_SCRIPT_SECONDS}"></noscript>\n`
      : null,
    script: refreshesItself ? 'payment.js' : null,
    content: html`<div id="answer" class="card" role="status" data-state="${state}">
<p class="mark" aria-hidden="true"></p>
<h1>${title}</h1>
<p id="text">${text}</p>
${isProcessing && html`<p id="later" hidden>${words('payment_processing_later')}</p>`}
<div class="actions">${nextStep(state, words)}</div>
</div>`,
  }
}

/** An empty `href` asks for this very page again. */
function nextStep(state: PaymentPageState, words: Words): Html {
  switch (state) {
    case 'processing':
      return html`<a href="/app">${words('open_app')}</a>`
    case 'unavailable':
      return html`<a class="button" href="">${words('retry')}</a> <a href="/app">${words('open_app')}</a>`
    case 'active':
    case 'unpaid':
    case 'ended':
    case 'cancel':
    case 'unknown':
    case 'invalid':
      return html`<a class="button" href="/app">${words('open_app')}</a>`
  }
}
