// The whole way on one page: address, code, payment, excuse. Speaks to the JSON API of its own host.

import { findEmail } from '../../../../domain/email.ts'
import type { Language } from '../../../../domain/language.ts'
import type { AppPageData, PageWords } from '../page-data.ts'
import { apiClient, Problem } from './api.ts'
import { attempts } from './attempts.ts'
import { element, onClick, readData } from './elements.ts'
import { type Excuse, excuseBox } from './excuse.ts'
import { codeField, emailField, markInvalid } from './fields.ts'
import { visit } from './memory.ts'
import { problemBox } from './problem-box.ts'
import { findProof, keepProof, newChallenge } from './proof.ts'
import { resendButton } from './resend.ts'
import { openSession } from './session.ts'
import { markBusy, moveTo, onSubmit, type Step, shownStep, showStep } from './steps.ts'
import { triesOfCode } from './tries.ts'
import { onCodeFilledIn, readCode } from './typed-code.ts'
import { isolate, onLanguageChosen, speaker } from './words.ts'

/** After these the person has to prove the address again. */
const BACK_TO_START: readonly string[] = [
  'error_session_expired',
  'error_premium_required',
  'error_email_not_verified',
  'error_premium_active',
]

const data = readData<AppPageData>('data')
const { call } = apiClient(data.problems)
const speech = speaker(data.words)
const session = openSession()
const status = element('status', HTMLElement)
const waiting = element('waiting', HTMLElement)
const developmentCode = element('development-code', HTMLElement)
const tries = triesOfCode(data)
const resend = resendButton(speech)
const excuse = excuseBox({
  copied: () => settle(() => speech.word('copied')),
  cannotCopy: () => settle(() => speech.word('copy_failed')),
})
const problems = problemBox(speech, { retry: (action) => attempt(action) })

let isLeaving = false

const attempt = attempts({
  begin() {
    problems.clear()
    markInvalid(null)
    markBusy(true)
  },
  wait: (key) => speech.say(waiting, () => speech.word(key)),
  end() {
    if (isLeaving) return
    markBusy(false)
    speech.say(waiting, null)
  },
  fail: showProblem,
})

function start(): void {
  onSubmit('email', () => attempt(sendCode))
  onSubmit('code', () => attempt(confirmCode))
  onSubmit('buy', () => attempt(buy))
  onSubmit('excuse', () => attempt(fetchExcuse))
  onCodeFilledIn(codeField, () => attempt(confirmCode))
  onClick(element('resend', HTMLElement), () => attempt(sendCode))
  onClick(element('sign-out', HTMLElement), () => attempt(signOut))
  onClick(element('sign-out-everywhere', HTMLElement), () => attempt(signOutEverywhere))
  for (const button of document.querySelectorAll<HTMLElement>('[data-change-email]')) {
    onClick(button, () => attempt(changeEmail))
  }
  onLanguageChosen(speech.language, changeLanguage)
  window.addEventListener('pageshow', ({ persisted }) => persisted && comeBack())
  window.addEventListener('storage', ({ key }) => key === 'alibi.token' && location.reload())

  speech.say(element('price', HTMLElement), () => (data.price ? speech.price(data.price) : ''))
  speech.say(element('buy', HTMLElement), sayBuy)
  speech.say(element('signed-in-as', HTMLElement), () =>
    speech.word('signed_in_as', { email: isolate(session.email()) }),
  )
  comeBack()
}

/** Where a visit goes on: a new one, one from the payment page, or one that the browser had put aside. */
function comeBack(): void {
  const hasPaid = location.hash === '#paid'
  if (location.hash === '#unpaid') session.setPaying(false)
  if (location.hash) history.replaceState(null, '', location.pathname + location.search)
  if (isLeaving) {
    isLeaving = false
    markBusy(false)
    speech.say(waiting, null)
  }
  emailField.value = session.email()
  const isBuyer = hasPaid || session.isPaying()
  if (!session.token() && isBuyer && findProof()) {
    showStep(null)
    settle(() => speech.word('loading'))
    attempt(logInVerified)
  } else {
    showStep(firstStep())
  }
}

function firstStep(): Step {
  if (session.token()) return 'excuse'
  if (findProof()) return 'buy'
  return session.email() && visit.read('step') === 'code' ? 'code' : 'email'
}

async function sendCode(): Promise<void> {
  if (shownStep() === 'email') readAddress()
  try {
    const { devCode } = await call<{ devCode?: string }>('POST', '/auth/verify-email', {
      body: { email: session.email(), lang: speech.language() },
    })
    tries.codeSent()
    resend.startCountdown()
    moveTo('code')
    settle(() => speech.word('code_sent', { email: isolate(session.email()) }))
    developmentCode.hidden = devCode === undefined
    speech.say(developmentCode, () => speech.word('development_code', { code: devCode ?? '' }))
  } catch (error) {
    if (error instanceof Problem && error.details.retryAt) resend.waitUntil(error.details.retryAt)
    throw error
  }
}

function readAddress(): void {
  const typed = findEmail(emailField.value)
  if (!typed) throw new Problem('error_invalid_email')
  if (typed !== session.email()) tries.startAnew()
  session.setEmail(typed)
  codeField.value = ''
}

async function confirmCode(): Promise<void> {
  const code = readCode(codeField.value)
  if (code === null) throw new Problem('error_invalid_code')

  const challenge = await newChallenge()
  const confirmedAt = Date.now()
  const answer = await call<{ email: string; token?: string }>('POST', '/auth/confirm-email', {
    body: { email: session.email(), code, codeChallenge: challenge?.codeChallenge },
  }).catch(countWrongTry)
  codeField.value = ''
  session.setEmail(answer.email)
  if (answer.token !== undefined) {
    signIn(answer.token, answer.email)
    return
  }
  const until = confirmedAt + data.verificationLifetimeMs
  keepProof(challenge && { email: answer.email, codeVerifier: challenge.codeVerifier, until })
  moveTo('buy')
  settle(() => speech.word('email_confirmed'))
}

/** What the page knows of the tries that are left: its own count, and what the service still takes from this client. */
function countWrongTry(error: unknown): never {
  if (!(error instanceof Problem) || error.word !== 'error_invalid_code') throw error
  tries.countWrong()
  const { remaining = Number.POSITIVE_INFINITY } = error.details
  throw new Problem(error.word, {
    ...error.details,
    triesLeft: Math.min(tries.left(), remaining),
  })
}

async function changeEmail(): Promise<void> {
  keepProof(null)
  settle(null)
  moveTo('email')
}

function sayBuy(): string {
  return data.price
    ? speech.word('buy_for', { price: isolate(speech.price(data.price)) })
    : speech.word('buy')
}

async function buy(): Promise<void> {
  session.setPaying(true)
  try {
    const { checkoutUrl } = await call<{ checkoutUrl: string }>('POST', '/checkout', {
      body: { email: session.email(), lang: speech.language() },
    })
    speech.say(waiting, () => speech.word('to_payment'))
    isLeaving = true
    location.assign(checkoutUrl)
  } catch (error) {
    const isPaid = error instanceof Problem && error.word === 'error_premium_active'
    if (!isPaid || !findProof()) throw error
    await logInVerified()
  }
}

/** For the buyer who comes back: without another code while the verification lasts, else with one. */
async function logInVerified(): Promise<void> {
  const proof = findProof()
  if (!proof) throw new Problem('error_premium_active')
  const { codeVerifier } = proof
  try {
    const answer = await call<{ token: string }>('POST', '/auth/token', {
      body: { email: proof.email, codeVerifier },
    })
    signIn(answer.token, proof.email)
  } catch (error) {
    const word = error instanceof Problem ? error.word : null
    settle(null)
    moveTo(word === 'error_email_not_verified' ? 'email' : 'buy')
    // The money is still on its way, or the buyer has turned back, or half an hour is over.
    const isAnswer = word === 'error_premium_required' || word === 'error_email_not_verified'
    if (!isAnswer) throw error
    session.setPaying(false)
    if (word === 'error_email_not_verified') keepProof(null)
  }
}

function signIn(token: string, email: string): void {
  session.signIn(token, email)
  speech.refresh(element('signed-in-as', HTMLElement))
  moveTo('excuse')
  settle(() => speech.word('premium_active'))
}

async function fetchExcuse(): Promise<void> {
  showExcuse(await readExcuse(speech.language()))
}

function readExcuse(language: Language): Promise<Excuse> {
  return call<Excuse>('GET', `/premium-reasons?lang=${language}`, { token: session.token() })
}

function showExcuse(next: Excuse): void {
  excuse.show(next)
  element('generate', HTMLElement).textContent = speech.word('another')
  settle(null)
}

async function signOutEverywhere(): Promise<void> {
  await call('POST', '/auth/logout', { token: session.token() })
  await signOut()
  settle(() => speech.word('signed_out_everywhere'))
}

async function signOut(): Promise<void> {
  session.forgetAll()
  clearExcuse()
  emailField.value = ''
  moveTo('email')
  settle(() => speech.word('signed_out'))
}

function clearExcuse(): void {
  excuse.clear()
  element('generate', HTMLElement).textContent = speech.word('generate')
}

function showProblem(problem: Problem, action: () => Promise<void>): void {
  if (BACK_TO_START.includes(problem.word)) {
    session.forgetToken()
    keepProof(null)
    clearExcuse()
    emailField.value = session.email()
    settle(null)
    moveTo('email')
  }
  if (problem.word === 'error_invalid_email') markInvalid(emailField)
  if (problem.word === 'error_invalid_code') markInvalid(codeField)
  problems.show(problem, action)
}

/** Loads the words, and another excuse where one stands, and shows both in one go. */
async function changeLanguage(next: Language): Promise<void> {
  try {
    const isReading = shownStep() === 'excuse' && !excuse.isEmpty()
    const [words, nextExcuse] = await Promise.all([
      call<PageWords>('GET', data.wordFiles[next] ?? ''),
      isReading ? readExcuse(next).catch(() => null) : null,
    ])
    speech.change(next, words)
    if (nextExcuse) showExcuse(nextExcuse)
  } catch (error) {
    problems.show(error instanceof Problem ? error : new Problem('error_server'))
  }
}

/** What holds from now on: where the buyer is, or what has been done. */
function settle(saying: (() => string) | null): void {
  speech.say(status, saying)
}

start()
