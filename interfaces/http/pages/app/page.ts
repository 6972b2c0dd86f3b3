import { onFirstUse } from '../../../../application/first-use.ts'
import type { LanguageContent } from '../../../../application/ports.ts'
import { LANGUAGES, type Language } from '../../../../domain/language.ts'
import { formatAmount } from '../../../../domain/money.ts'
import { type Html, html, jsonData } from '../html.ts'
import { type Page, PLAIN_PAGE } from '../page.ts'
import type { AppPageData } from '../page-data.ts'
import { translated, translator, type Words } from '../translator.ts'
import type { AppAddresses } from './addresses.ts'
import { choiceRows } from './choice-rows.ts'
import { appHead } from './head.ts'
import { sampleBubble } from './samples.ts'

/** Each language as its speakers call it. They take milliseconds to find out, which a start has no use for. */
const nativeNames = onFirstUse(
  () =>
    Object.fromEntries(
      LANGUAGES.map((language) => [
        language,
        new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language,
      ]),
    ) as Record<Language, string>,
)

type AppPage = {
  readonly content: LanguageContent
  /** Those to choose from. */
  readonly languages: readonly Language[]
  readonly data: AppPageData
  readonly publicUrl: string
  /** The public addresses of the page in all languages, and which of them this one has. */
  readonly addresses: AppAddresses
  readonly address: string
  readonly isIndexed: boolean
}

/** One form per step. The script shows the form of the present step, and talks to the JSON API. */
export function appPage(app: AppPage): Page {
  const { content, languages, data, isIndexed } = app
  const { language } = content
  const words = translator(content.strings)
  return {
    ...PLAIN_PAGE,
    language,
    brand: translated(words, 'span', 'title'),
    skipLink: translated(words, 'span', 'skip_to_content'),
    tools: languageSwitch({ language, languages, words }),
    title: `${words('title')} · ${words('subtitle')}`,
    head: appHead(app),
    isIndexed,
    look: 'app',
    script: 'app.js',
    content: html`<div class="hero">
${translated(words, 'h1', 'subtitle')}
<p id="price" class="price">${data.price && formatAmount(data.price, language)}</p>
</div>
<div id="card" class="card">
<noscript><p class="notice">${words('needs_javascript')}</p></noscript>
<p id="unstarted" class="notice">${words('error_timeout')} <a href="/app">${words('retry')}</a></p>
<p id="status" class="status" role="status"></p>
${emailStep(words)}
${codeStep(words)}
${buyStep(words)}
${paymentStep(words)}
${excuseStep(words, choiceRows(content))}
<div id="feedback" class="feedback">
<p id="waiting" class="hint" role="status"></p>
<div id="problem-alert" role="alert"><p id="problem-text" class="problem"></p><p id="problem-more" class="hint"></p></div>
${translated(words, 'button', 'retry', html`id="retry" type="button" class="button quiet" hidden`)}
</div>
</div>
${sampleBubble(content, words)}
${translated(words, 'p', 'pitch')}
<script type="application/json" id="data">${jsonData(data)}</script>`,
    footer: html`<a href="/docs">${translated(words, 'span', 'for_developers')}</a>`,
  }
}

function emailStep(words: Words): Html {
  return html`<form id="email-step" novalidate>
${translated(words, 'label', 'email_label', html`for="email"`)}
<input id="email" type="email" autocomplete="email" autocapitalize="none" spellcheck="false" required dir="ltr" placeholder="${words('email_placeholder')}" data-word-placeholder="email_placeholder" aria-describedby="email-hint problem-text">
${translated(words, 'button', 'send_code', html`class="button"`)}
${translated(words, 'p', 'email_hint', html`id="email-hint" class="hint"`)}
${translated(words, 'p', 'already_bought', html`class="hint"`)}
</form>`
}

function codeStep(words: Words): Html {
  return html`<form id="code-step" novalidate hidden>
${translated(words, 'label', 'code_label', html`for="code"`)}
<input id="code" class="code" type="text" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" required dir="ltr" aria-describedby="code-hint problem-text">
${translated(words, 'button', 'confirm', html`class="button"`)}
<p id="development-code" class="notice" hidden></p>
${translated(words, 'p', 'code_hint', html`id="code-hint" class="hint"`)}
<p id="resend-wait" class="hint" hidden></p>
<div class="actions">${translated(words, 'button', 'resend_code', html`id="resend" type="button" class="link"`)}
${translated(words, 'button', 'change_email', html`type="button" class="link" data-change-email`)}</div>
</form>`
}

function buyStep(words: Words): Html {
  return html`<form id="buy-step" hidden>
<button id="buy" class="button" aria-describedby="buy-hint"></button>
${translated(words, 'p', 'buy_hint', html`id="buy-hint" class="hint"`)}
<div class="actions">${translated(words, 'button', 'change_email', html`type="button" class="link" data-change-email`)}</div>
</form>`
}

/** For money that takes days: nothing to buy, and nothing to do. */
function paymentStep(words: Words): Html {
  return html`<form id="payment-step" hidden>
${translated(words, 'h2', 'payment_processing_title', html`tabindex="-1"`)}
${translated(words, 'p', 'payment_processing_text', html`id="payment-soon"`)}
${translated(words, 'p', 'payment_processing_later', html`id="payment-later" hidden`)}
<div class="actions">${translated(words, 'button', 'change_email', html`type="button" class="link" data-change-email`)}</div>
</form>`
}

function excuseStep(words: Words, choices: Html | null): Html {
  return html`<form id="excuse-step" hidden>
${choices}${translated(words, 'h2', 'reason_label', html`id="excuse-label"`)}
<blockquote id="excuse" aria-live="polite" aria-labelledby="excuse-label"></blockquote>
<p id="widened" class="hint" role="status"></p>
${translated(words, 'button', 'generate', html`id="generate" class="button"`)}
<div class="buttons">${translated(words, 'button', 'copy', html`id="copy" type="button" class="button quiet" disabled`)}
${translated(words, 'button', 'share', html`id="share" type="button" class="button quiet" disabled hidden`)}</div>
<div class="actions row">${translated(words, 'button', 'favourite_add', html`id="favourite" type="button" class="link" disabled`)}
${translated(words, 'button', 'dislike', html`id="dislike" type="button" class="link" disabled`)}
${translated(words, 'button', 'undo', html`id="undo" type="button" class="link" hidden`)}</div>
${keptList('favourites', translated(words, 'summary', 'favourites_label'))}
${keptList('latest', translated(words, 'summary', 'latest_label'))}
<p id="signed-in-as" class="hint"></p>
<div class="actions">${translated(words, 'button', 'sign_out', html`id="sign-out" type="button" class="link"`)}
${translated(words, 'button', 'sign_out_everywhere', html`id="sign-out-everywhere" type="button" class="link"`)}</div>
</form>`
}

/** Excuses that the browser keeps. The script fills the list, and shows it where there is something in it. */
function keptList(id: string, summary: Html): Html {
  return html`<details id="${id}" class="kept" hidden>${summary}<ul></ul></details>`
}

function languageSwitch({
  language: current,
  languages,
  words,
}: {
  language: Language
  languages: readonly Language[]
  words: Words
}): Html {
  return html`<label class="language">${translated(words, 'span', 'language', html`class="unseen"`)}
<select id="language" autocomplete="off">
${languages.map(
  (language) =>
    html`<option value="${language}" lang="${language}"${language === current && html` selected`}>${nativeNames()[language]}</option>\n`,
)}</select></label>`
}
