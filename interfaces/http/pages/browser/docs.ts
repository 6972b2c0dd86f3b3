// Makes the reference usable: requests for this host, to copy or to send.

import { outcome } from './docs-outcome.ts'
import { allForms, fill, readRequest, showCommand } from './docs-request.ts'
import { copyText, element } from './dom.ts'
import { newChallenge } from './pkce-store.ts'

/** Fields of an answer, and the fields of later requests that take their values. */
const PASSED_ON = { token: 'token', devCode: 'code', sessionId: 'session_id' } as const

const copied = element('copied', HTMLElement)

function start(): void {
  for (const one of document.querySelectorAll<HTMLElement>('[data-unscripted]')) one.hidden = true
  for (const one of document.querySelectorAll<HTMLElement>('[data-scripted]')) one.hidden = false
  for (const form of allForms()) {
    showCommand(form)
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void run(form)
    })
  }
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && target.form) fill(target.name, target.value)
    if (target instanceof HTMLTextAreaElement && target.form) showCommand(target.form)
  })
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.addEventListener('click', () => copy(button.previousElementSibling))
  }
  void fillInProof()
}

/** The pair in the document is public, and would let any reader in. */
async function fillInProof(): Promise<void> {
  const { codeChallenge = '', codeVerifier = '' } = (await newChallenge()) ?? {}
  fill('codeChallenge', codeChallenge)
  fill('codeVerifier', codeVerifier)
}

async function run(form: HTMLFormElement): Promise<void> {
  if (form.hasAttribute('aria-busy')) return
  form.setAttribute('aria-busy', 'true')
  const answer = await outcome(form, readRequest(form))
  form.removeAttribute('aria-busy')
  for (const [key, name] of Object.entries(PASSED_ON)) {
    const value = answer[key]
    if (typeof value === 'string') fill(name, value)
  }
}

async function copy(source: Element | null): Promise<void> {
  copied.textContent = ''
  if (source) copied.textContent = (await copyText(source)) ? 'Copied' : 'Selected'
}

start()
