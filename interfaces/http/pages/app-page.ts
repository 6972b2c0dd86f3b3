import { LANGUAGES, type Language } from '../../../domain/language.ts'
import { type Html, html, jsonData } from './html.ts'
import { type Page, PLAIN_PAGE } from './page.ts'
import type { Words } from './words.ts'

/** What the page's script says, as far as it does not stand on the page from the start. */
const SCRIPT_WORDS = [
  'loading',
  'generate',
  'another',
  'copied',
  'code_sent',
  'email_confirmed',
  'premium_active',
  'signed_in_as',
  'signed_out',
  'error_invalid_email',
  'error_invalid_code',
  'error_invalid_request',
  'error_session_expired',
  'error_premium_required',
  'error_email_not_verified',
  'error_premium_active',
  'error_payment_processing',
  'error_too_many_requests',
  'error_email_unavailable',
  'error_payment_unavailable',
  'error_network',
  'error_server',
] as const

/** Each language as its speakers call it. */
const NATIVE_NAMES = Object.fromEntries(
  LANGUAGES.map((language) => [
    language,
    new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language,
  ]),
) as Record<Language, string>

/** One form per step; the script shows the one whose turn it is, and talks to the JSON API. */
export function appPage({
  language,
  languages,
  words,
}: {
  language: Language
  /** Those to choose from. */
  languages: readonly Language[]
  words: Words
}): Page {
  return {
    ...PLAIN_PAGE,
    language,
    title: `${words('title')} · ${words('subtitle')}`,
    script: 'app.js',
    content: html`<h1>${words('title')}</h1>
<p class="subtitle">${words('subtitle')}</p>
<noscript><p class="notice">${words('needs_javascript')}</p></noscript>
<p id="status" class="notice" role="status"></p>
<p id="error" class="notice error" role="alert"></p>
<p id="dev-code" class="notice" dir="ltr" hidden></p>
${emailStep(words)}
${codeStep(words)}
${buyStep(words)}
${excuseStep(words)}
<script type="application/json" id="words">${jsonData(scriptWords(words))}</script>`,
    footer: html`<footer>${languageSwitch({ language, languages, words })}</footer>`,
  }
}

function emailStep(words: Words): Html {
  return html`<form id="email-step" novalidate hidden>
<label for="email">${words('email_label')}</label>
<input id="email" type="email" autocomplete="email" autocapitalize="none" spellcheck="false" required dir="ltr" placeholder="${words('email_placeholder')}" aria-describedby="email-hint error">
<p id="email-hint" class="hint">${words('email_hint')}</p>
<button class="button">${words('send_code')}</button>
</form>`
}

function codeStep(words: Words): Html {
  return html`<form id="code-step" novalidate hidden>
<label for="code">${words('code_label')}</label>
<input id="code" class="code" type="text" inputmode="numeric" autocomplete="one-time-code" required dir="ltr" aria-describedby="code-hint error">
<p id="code-hint" class="hint">${words('code_hint')}</p>
<button class="button">${words('confirm')}</button>
<p class="actions"><button type="button" class="link" id="resend">${words('resend_code')}</button>
<button type="button" class="link" data-change-email>${words('change_email')}</button></p>
</form>`
}

function buyStep(words: Words): Html {
  return html`<form id="buy-step" hidden>
<button class="button" aria-describedby="buy-hint">${words('buy')}</button>
<p id="buy-hint" class="hint">${words('buy_hint')}</p>
<p class="actions"><button type="button" class="link" data-change-email>${words('change_email')}</button></p>
</form>`
}

function excuseStep(words: Words): Html {
  return html`<form id="excuse-step" hidden>
<blockquote id="excuse" aria-live="polite"></blockquote>
<button class="button" id="generate">${words('generate')}</button>
<button type="button" class="button quiet" id="copy" hidden>${words('copy')}</button>
<p id="signed-in-as" class="hint"></p>
<p class="actions"><button type="button" class="link" id="sign-out">${words('sign_out')}</button>
<button type="button" class="link" id="sign-out-everywhere">${words('sign_out_everywhere')}</button></p>
</form>`
}

function languageSwitch({
  language: current,
  languages,
  words,
}: Parameters<typeof appPage>[0]): Html {
  return html`<nav aria-label="${words('language')}"><ul class="languages">
${languages.map((language) => {
  const mark = language === current && html` aria-current="true"`
  return html`<li><a href="/app?lang=${language}" lang="${language}" hreflang="${language}"${mark}>${NATIVE_NAMES[language]}</a></li>\n`
})}</ul></nav>`
}

function scriptWords(words: Words): Record<string, string> {
  return Object.fromEntries(SCRIPT_WORDS.map((key) => [key, words(key)]))
}
