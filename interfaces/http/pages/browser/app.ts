// The whole way on one page: address, code, payment, excuse. Speaks to the JSON API of its own host.

import type { StringKey } from '../../../../application/content/strings.ts'
import { findEmail } from '../../../../domain/email.ts'
import type { Language } from '../../../../domain/language.ts'
import type { AppPageData } from '../page-data.ts'
import { isolate } from '../wait-words.ts'
import { type Action, actionRunner } from './action-runner.ts'
import { apiClient, Problem } from './api.ts'
import { codeAttempts } from './code-attempts.ts'
import { readCode } from './code-text.ts'
import { element, onClick, readData } from './dom.ts'
import { openEmailVerification, type Standing } from './email-verification.ts'
import { endpointsOf } from './endpoints.ts'
import { excuseStep } from './excuse-step.ts'
import { codeField, emailField, markInvalid, onCodeFilledIn } from './fields.ts'
import { paymentStep } from './payment-step.ts'
import { dropProof, findProof, keepProof } from './pkce-store.ts'
import { problemBox } from './problem-box.ts'
import { resendButton } from './resend.ts'
import { sampleBubble } from './samples.ts'
import { openSession } from './session.ts'
import { markBusy, moveTo, onSubmit, type Step, shownStep, showStep } from './steps.ts'
import { sessionStore } from './storage.ts'
import { onLanguageChosen, translator } from './translator.ts'

const CODE_PROBLEMS: readonly string[] = ['error_invalid_code', 'error_code_incomplete']

/** What the service answers where there is nothing to buy. */
const NOTHING_TO_BUY: readonly string[] = ['error_premium_active', 'error_payment_processing']

/** What has ended without a fault of the reader's: why, and the way on. */
const ENDED: { readonly [word in StringKey]?: readonly StringKey[] } = {
  error_session_expired: ['error_session_expired'],
  error_premium_required: ['payment_ended_title', 'payment_ended_text'],
}

const data = readData<AppPageData>('data')
const api = apiClient(data.problems)
const session = openSession()
const endpoints = endpointsOf(api, session)
// A client of its own: signing out aborts the calls under way, but not a change of language.
const languageEndpoints = endpointsOf(apiClient(data.problems), session)
const texts = translator(data.words)
const emailVerification = openEmailVerification(endpoints, data)
const status = element('status', HTMLElement)
const waiting = element('waiting', HTMLElement)
const signedInAs = element('signed-in-as', HTMLElement)
const developmentCode = element('development-code', HTMLElement)
const attempts = codeAttempts(data)
const resend = resendButton(texts)
const problems = problemBox(texts, { retry: (action) => attempt(action) })

let isLeaving = false

const { attempt, abandon } = actionRunner({
  begin() {
    isLeaving = false
    problems.clear()
    markInvalid(null)
    markBusy(true)
  },
  wait: (key) => texts.say(waiting, () => texts.word(key)),
  end() {
    if (isLeaving) return
    markBusy(false)
    texts.say(waiting, null)
  },
  fail: showProblem,
})

const excuse = excuseStep({ texts, session, endpoints, attempt, settle })
const samples = sampleBubble()
const ask = () => emailVerification.standing(session.email())
const payment = paymentStep({ texts, ask, goOn: followStanding, settle })

function start(): void {
  onSubmit('email', () => attempt(sendCode))
  onSubmit('code', () => attempt(confirmCode))
  onSubmit('buy', () => attempt(buy))
  onCodeFilledIn(() => attempt(confirmCode))
  onClick(element('resend', HTMLElement), () => attempt(sendCode))
  onClick(element('sign-out', HTMLElement), signOut)
  onClick(element('sign-out-everywhere', HTMLElement), () => attempt(signOutEverywhere))
  for (const button of document.querySelectorAll<HTMLElement>('[data-change-email]')) {
    onClick(button, changeEmail)
  }
  onLanguageChosen(texts.language, changeLanguage)
  // A kept page is shown as it was left, before its script goes on.
  window.addEventListener('pagehide', () => void (mayHavePaid() && showStep(null)))
  window.addEventListener('pageshow', ({ persisted }) => persisted && comeBack())
  window.addEventListener('storage', session.followOtherTabs)

  element('unstarted', HTMLElement).remove()
  texts.say(element('price', HTMLElement), () => (data.price ? texts.price(data.price) : ''))
  texts.say(element('buy', HTMLElement), sayBuy)
  texts.say(signedInAs, sayWhoIsSignedIn)
  comeBack()
}

/** Begins a visit: a new one, one from the payment page, or one from the browser's page cache. */
function comeBack(): void {
  session.followOtherTabs()
  isLeaving = false
  markBusy(false)
  texts.say(waiting, null)
  emailField.value = session.email()
  if (mayHavePaid()) {
    stopWaiting()
    showStep(null)
    attempt(logInByProof)
  } else showFirstStep()
}

/** Whoever has been to a payment page may have paid. So the button to buy waits until the service was asked. */
function mayHavePaid(): boolean {
  return !session.token() && findProof(session.email())?.mayHavePaid === true
}

async function logInByProof(): Promise<void> {
  followStanding(await ask())
}

function followStanding(standing: Standing): void {
  if (standing.token !== null) signIn(standing.token)
  else if (standing.isPaying) payment.wait()
  else showFirstStep()
}

function showFirstStep(): void {
  showStep(firstStep())
  if (shownStep() === 'code') {
    settle(sayCodeSent)
    resend.resume()
  }
}

function firstStep(): Step {
  if (session.token()) return 'excuse'
  const step = sessionStore.read('step')
  if (step !== 'email' && findProof(session.email())) return 'buy'
  return session.email() && step === 'code' ? 'code' : 'email'
}

async function sendCode(): Promise<void> {
  if (shownStep() === 'email') readAddress()
  const { devCode } = await endpoints.verifyEmail(session.email(), texts.language())
  attempts.codeSent()
  resend.startCountdown()
  moveTo('code')
  settle(sayCodeSent)
  developmentCode.hidden = devCode === undefined
  texts.say(developmentCode, () => texts.word('development_code', { code: devCode ?? '' }))
}

function readAddress(): void {
  const typed = findEmail(emailField.value)
  if (!typed) throw new Problem('error_invalid_email')
  if (typed !== session.email()) attempts.reset()
  session.setEmail(typed)
  codeField.value = ''
}

async function confirmCode(): Promise<void> {
  const code = readCode(codeField.value)
  if (code === null) throw new Problem('error_code_incomplete')

  const standing = await emailVerification.confirm(session.email(), code).catch(attempts.countWrong)
  codeField.value = ''
  if (standing.token !== null || standing.isPaying) return followStanding(standing)
  moveTo('buy')
  settle(() => texts.word('email_confirmed'))
}

function changeEmail(): void {
  stopWaiting()
  settle(null)
  moveTo('email')
}

async function buy(): Promise<void> {
  try {
    const email = session.email()
    const proof = findProof(email)
    const { checkoutUrl } = await endpoints.startCheckout(
      email,
      proof?.codeVerifier,
      texts.language(),
    )
    if (proof) keepProof({ ...proof, mayHavePaid: true })
    texts.say(waiting, () => texts.word('to_payment'))
    isLeaving = true
    location.assign(checkoutUrl)
  } catch (error) {
    if (!(error instanceof Problem) || !NOTHING_TO_BUY.includes(error.word)) throw error
    const standing = await ask()
    if (standing.token === null && !standing.isPaying) throw error
    followStanding(standing)
  }
}

function signIn(token: string): void {
  session.signIn(token, session.email())
  texts.refresh(signedInAs)
  moveTo('excuse')
  settle(() => texts.word('premium_active'))
}

async function signOutEverywhere(): Promise<void> {
  await endpoints.logOut(session.token()).catch(forgetExpiredToken)
  signOut()
  settle(() => texts.word('signed_out_everywhere'))
}

/** Whoever signs out leaves no token behind, not even one that has expired by then. */
function forgetExpiredToken(error: unknown): never {
  if (error instanceof Problem && error.needsProof) session.forgetToken()
  throw error
}

/** Does not wait for what is under way: the device may be a borrowed one. */
function signOut(): void {
  stopWaiting()
  session.forgetAll()
  excuse.forget()
  emailField.value = ''
  texts.refresh(signedInAs)
  moveTo('email')
  settle(() => texts.word('signed_out'))
}

function stopWaiting(): void {
  api.abort()
  abandon()
  problems.clear()
}

function showProblem(problem: Problem, action: Action): void {
  if (problem.needsProof) {
    const words = shownStep() === 'excuse' ? ENDED[problem.word] : null
    session.expireToken()
    dropProof(session.email())
    excuse.clear()
    emailField.value = session.email()
    settle(words ? () => words.map((key) => texts.word(key)).join('\n') : null)
    moveTo('email')
    if (words) return
  }
  if (problem.word === 'error_invalid_email') markInvalid(emailField)
  if (CODE_PROBLEMS.includes(problem.word)) markInvalid(codeField)
  // Asking for a code and trying one count against the same limit.
  const { retryAt } = problem.details
  if (retryAt !== undefined && shownStep() === 'code') resend.waitUntil(retryAt)
  // Without a step there is nothing else to do than to go on.
  problems.show(problem, { action, resumes: shownStep() === null })
}

/** Loads the words, and another excuse where one stands, and shows both in one go. */
async function changeLanguage(next: Language, isLatest: () => boolean): Promise<void> {
  const token = session.token()
  const isReading = () => shownStep() === 'excuse' && session.token() === token
  try {
    const [words, nextExcuse] = await Promise.all([
      languageEndpoints.readWords(data.wordFiles[next] ?? ''),
      isReading() && !excuse.isEmpty()
        ? excuse.pick(next, languageEndpoints).catch(() => null)
        : null,
    ])
    if (!isLatest()) return
    texts.change(next, words)
    samples.refresh()
    if (nextExcuse && isReading()) excuse.show(nextExcuse)
  } catch (error) {
    if (isLatest()) problems.show(error instanceof Problem ? error : new Problem('error_server'))
  }
}

function sayCodeSent(): string {
  return texts.word('code_sent', { email: isolate(session.email()) })
}

function sayBuy(): string {
  return data.price
    ? texts.word('buy_for', { price: isolate(texts.price(data.price)) })
    : texts.word('buy')
}

function sayWhoIsSignedIn(): string {
  return session.email() && texts.word('signed_in_as', { email: isolate(session.email()) })
}

/** Sets the lasting status: where the buyer is, or what has been done. */
function settle(saying: (() => string) | null): void {
  texts.say(status, saying)
}

start()
