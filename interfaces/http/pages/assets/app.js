// The whole flow on one page: address, code, payment, excuse. Speaks to the JSON API of the same origin.

const words = JSON.parse(byId('words').textContent)
const language = document.documentElement.lang

const TIMEOUT_MS = 20_000

/** What to say to an error of the API, by its `error`. */
const ERROR_WORDS = new Map([
  ['Invalid email', 'error_invalid_email'],
  ['Invalid or expired code', 'error_invalid_code'],
  ['Invalid request', 'error_invalid_request'],
  ['Invalid JSON', 'error_invalid_request'],
  ['Missing token', 'error_session_expired'],
  ['Invalid or expired token', 'error_session_expired'],
  ['Premium access required', 'error_premium_required'],
  ['Email not verified', 'error_email_not_verified'],
  ['Premium access already active', 'error_premium_active'],
  ['Payment processing', 'error_payment_processing'],
  ['Email delivery unavailable', 'error_email_unavailable'],
  ['Payment provider unavailable', 'error_payment_unavailable'],
])

/** After these the person has to prove the address again. */
const BACK_TO_START = new Set([
  'error_session_expired',
  'error_premium_required',
  'error_email_not_verified',
  'error_premium_active',
])

const STEPS = ['email', 'code', 'buy', 'excuse']

// The browser may refuse to keep anything; the page then works until it is left.
const lasting = storage('localStorage')
const visit = storage('sessionStorage')

let token = lasting.read('alibi.token')
let email = lasting.read('alibi.email') ?? visit.read('alibi.email') ?? ''
let busy = false

start()

function start() {
  if (restoreLanguage()) return

  byId('email').value = email
  onSubmit('email-step', sendCode)
  onSubmit('code-step', confirmCode)
  onSubmit('buy-step', buy)
  onSubmit('excuse-step', fetchExcuse)
  onClick(byId('resend'), sendCode)
  onClick(byId('copy'), copyExcuse)
  onClick(byId('sign-out'), signOut)
  onClick(byId('sign-out-everywhere'), signOutEverywhere)
  for (const button of document.querySelectorAll('[data-change-email]')) {
    button.addEventListener('click', changeEmail)
  }

  show(firstStep())
}

/** Goes on in the language that was chosen before. Tells whether the page is being left for that. */
function restoreLanguage() {
  if (new URLSearchParams(location.search).has('lang')) {
    lasting.write('alibi.language', language)
    return false
  }
  const chosen = lasting.read('alibi.language')
  if (!chosen || chosen === language) return false
  location.replace(`?lang=${encodeURIComponent(chosen)}${location.hash}`)
  return true
}

function firstStep() {
  const hasPaid = location.hash === '#sign-in'
  if (hasPaid) history.replaceState(null, '', location.pathname + location.search)
  if (token) return 'excuse'
  const step = visit.read('alibi.step')
  return !hasPaid && email && (step === 'code' || step === 'buy') ? step : 'email'
}

async function sendCode() {
  const isTypedHere = !byId('email-step').hidden
  if (isTypedHere) {
    const field = byId('email')
    email = field.value.trim()
    if (!field.validity.valid) throw problem('error_invalid_email')
    visit.write('alibi.email', email)
  }

  const { devCode } = await call('POST', '/auth/verify-email', { body: { email, lang: language } })
  if (isTypedHere) byId('code').value = ''
  moveTo('code')
  say(fill('code_sent', { email: isolate(email) }))
  byId('dev-code').hidden = !devCode
  byId('dev-code').textContent = devCode ? `devCode: ${devCode}` : ''
}

async function confirmCode() {
  const code = byId('code').value
  // A try costs one of a few, so what cannot be a code is not sent.
  if ((code.match(/\p{Nd}/gu) ?? []).length !== 6) throw problem('error_invalid_code')

  const answer = await call('POST', '/auth/confirm-email', { body: { email, code } })
  byId('code').value = ''
  if (!answer.token) {
    moveTo('buy')
    say(words.email_confirmed)
    return
  }
  token = answer.token
  email = answer.email
  lasting.write('alibi.token', token)
  lasting.write('alibi.email', email)
  moveTo('excuse')
  say(words.premium_active)
}

async function buy() {
  const { checkoutUrl } = await call('POST', '/checkout', { body: { email } })
  location.assign(checkoutUrl)
}

async function fetchExcuse() {
  const answer = await call('GET', `/premium-reasons?lang=${language}`, { token })
  const excuse = byId('excuse')
  excuse.lang = answer.language
  excuse.textContent = answer.reason
  byId('generate').textContent = words.another
  byId('copy').hidden = !navigator.clipboard
}

async function copyExcuse() {
  await navigator.clipboard.writeText(byId('excuse').textContent)
  say(words.copied)
}

async function signOutEverywhere() {
  await call('POST', '/auth/logout', { token })
  signOut()
}

function signOut() {
  forgetToken()
  email = ''
  byId('email').value = ''
  visit.write('alibi.email', null)
  moveTo('email')
  say(words.signed_out)
}

function forgetToken() {
  token = null
  lasting.write('alibi.token', null)
  lasting.write('alibi.email', null)
  byId('excuse').textContent = ''
  byId('generate').textContent = words.generate
  byId('copy').hidden = true
}

function changeEmail() {
  clearMessages()
  moveTo('email')
}

/** Shows a step and puts the keyboard there. */
function moveTo(step) {
  show(step)
  byId(`${step}-step`).querySelector('input, button').focus()
}

function show(step) {
  for (const name of STEPS) byId(`${name}-step`).hidden = name !== step
  byId('dev-code').hidden = true
  byId('signed-in-as').textContent = fill('signed_in_as', { email: isolate(email) })
  visit.write('alibi.step', step)
}

function onSubmit(id, action) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(action)
  })
}

function onClick(button, action) {
  button.addEventListener('click', () => attempt(action))
}

/** One thing at a time; whatever goes wrong is said in words. */
async function attempt(action) {
  if (busy) return
  busy = true
  clearMessages()
  say(words.loading)
  try {
    await action()
    if (byId('status').textContent === words.loading) say('')
  } catch (error) {
    say('')
    showProblem(error)
  } finally {
    busy = false
  }
}

function showProblem({ word = 'error_server', waitSeconds = 60 }) {
  if (BACK_TO_START.has(word)) {
    forgetToken()
    byId('email').value = email
    moveTo('email')
  }
  const field = { error_invalid_email: byId('email'), error_invalid_code: byId('code') }[word]
  field?.setAttribute('aria-invalid', 'true')
  field?.focus()
  byId('error').textContent = fill(word, { duration: formatDuration(waitSeconds) })
}

function clearMessages() {
  say('')
  byId('error').textContent = ''
  for (const field of document.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid')
  }
}

function say(text) {
  byId('status').textContent = text
}

/** The API's answer. Throws a problem for everything but success. */
async function call(method, path, { body, token } = {}) {
  const headers = {}
  if (body) headers['content-type'] = 'application/json'
  if (token) headers.authorization = `Bearer ${token}`

  const request = { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) }
  if (body) request.body = JSON.stringify(body)
  const response = await fetch(path, request).catch(() => {
    throw problem('error_network')
  })
  const answer = await response.json().catch(() => {
    throw problem('error_server')
  })
  if (response.ok) return answer
  if (response.status === 429) {
    throw problem('error_too_many_requests', Number(response.headers.get('retry-after')) || 60)
  }
  throw problem(ERROR_WORDS.get(answer.error) ?? 'error_server')
}

function problem(word, waitSeconds) {
  return Object.assign(new Error(word), { word, waitSeconds })
}

function fill(key, values) {
  return words[key].replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place)
}

/** Keeps an address in one piece among words written from right to left (Unicode FSI and PDI). */
function isolate(text) {
  return `\u2068${text}\u2069`
}

/** Rounded up, so that nobody comes back too early. */
function formatDuration(seconds) {
  if (seconds <= 60) return formatUnit(Math.ceil(seconds / 10) * 10, 'second')
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 90 ? formatUnit(minutes, 'minute') : formatUnit(Math.ceil(minutes / 60), 'hour')
}

function formatUnit(value, unit) {
  const style = { style: 'unit', unit, unitDisplay: 'long' }
  return new Intl.NumberFormat(language, style).format(value)
}

function storage(name) {
  return {
    read(key) {
      try {
        return window[name].getItem(key)
      } catch {
        return null
      }
    },
    write(key, value) {
      try {
        if (value === null) window[name].removeItem(key)
        else window[name].setItem(key, value)
      } catch {}
    },
  }
}

function byId(id) {
  return document.getElementById(id)
}
