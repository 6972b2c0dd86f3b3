import { keepChoice, showChoice } from './choice-rows.ts'
import type { Message, Reply } from './messages.ts'
import { keep, type Notice, readState, remember, type State } from './storage.ts'
import { browserLanguage, duration, LANGUAGE_NAMES, type Words, wordsIn } from './words.ts'

const STEPS = ['email', 'code', 'buy', 'excuse'] as const
type Step = (typeof STEPS)[number]

/** What has the focus as a step begins. */
const FIRST: Readonly<Record<Step, string>> = {
  email: '#email',
  code: '#code',
  buy: '#buy-step .button',
  excuse: '#excuse-step .button',
}
const TICK_MS = 1000
const LOOK_EVERY_MS = 30_000

function find<Kind extends HTMLElement = HTMLElement>(selector: string): Kind {
  const found = document.querySelector<Kind>(selector)
  if (!found) throw new Error(`the popup has no ${selector}`)
  return found
}

let words: Words
let shownLanguage = ''
let shownStep: Step | null = null
let notice: Notice | null = null

function stepOf({ ticket, proof }: State): Step {
  return ticket ? 'excuse' : (proof?.step ?? 'email')
}

/** Shows what is kept, whoever has changed it. */
async function show(): Promise<void> {
  const state = await readState()
  const { proof, excuse, ticket, expired } = state
  await speak(state)
  const step = stepOf(state)
  for (const name of STEPS) find(`#${name}-step`).hidden = name !== step
  find('#code-sent').textContent = words('code_sent', { email: proof?.email ?? '' })
  find('#dev-code').textContent = words('development_code', { code: proof?.devCode ?? '' })
  find('#dev-code').hidden = proof?.devCode === undefined
  find('#paying').hidden = proof?.payingSince === undefined
  find('#signed-in').textContent = words('signed_in_as', { email: ticket?.email ?? '' })
  find('#result').hidden = excuse === null
  find('#widened').hidden = !excuse?.isWidened
  const shown = find('#excuse')
  if (shown.textContent !== (excuse?.text ?? '')) shown.textContent = excuse?.text ?? ''
  shown.lang = excuse?.language ?? ''
  shown.dir = excuse?.language === 'ar' ? 'rtl' : 'ltr'
  find('main').removeAttribute('aria-busy')
  if (step === shownStep) return
  shownStep = step
  find<HTMLInputElement>('#code').value = ''
  if (step === 'email') find<HTMLInputElement>('#email').value ||= expired?.email ?? ''
  find(FIRST[step]).focus()
}

/** Every word of the popup in the language of the person. */
async function speak({ language: chosen, choice }: State): Promise<void> {
  const language = chosen || browserLanguage()
  if (language === shownLanguage) return
  words = await wordsIn(language)
  shownLanguage = language
  const { name } = chrome.runtime.getManifest()
  document.title = name
  document.documentElement.lang = language
  document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr'
  find('#name').textContent = name
  for (const element of document.querySelectorAll<HTMLElement>('[data-word]')) {
    element.textContent = words(element.dataset['word'] ?? '')
  }
  find('#language').setAttribute('aria-label', words('language'))
  find<HTMLSelectElement>('#language').value = language
  showChoice(find('#choice'), words, choice)
  await showShortcut()
  showNotice()
}

/** As the person has set it, or none. */
async function showShortcut(): Promise<void> {
  const commands = await chrome.commands.getAll()
  const shortcut = commands.find(({ name }) => name === 'insert-excuse')?.shortcut
  find('#shortcut').textContent = shortcut ? words('shortcut', { shortcut }) : words('context_menu')
}

function say(next: Notice | null): void {
  notice = next
  showNotice()
}

function showNotice(): void {
  const { word, retryAt } = notice ?? {}
  const left = retryAt === undefined ? null : retryAt - Date.now()
  const isOver = left !== null && left <= 0
  if (isOver) notice = null
  const values = left === null ? {} : { duration: duration(left, shownLanguage) }
  const text = word && !isOver ? words(word, values) : ''
  const shown = find('#notice')
  if (shown.textContent !== text) shown.textContent = text
}

/** Lets the background act. What was pressed stays where it is and has the focus still, but does nothing meanwhile. */
async function act(message: Message): Promise<void> {
  const main = find('main')
  if (main.ariaBusy === 'true') return
  main.ariaBusy = 'true'
  say(null)
  const reply = await chrome.runtime
    .sendMessage<Message, Reply>(message)
    .catch((): Reply => ({ word: 'error_server' }))
  main.ariaBusy = null
  await show()
  say(reply)
  if (reply?.word === 'error_invalid_code') find<HTMLInputElement>('#code').select()
}

function onSubmit(step: Step, message: () => Message): void {
  find(`#${step}-step`).addEventListener('submit', (event) => {
    event.preventDefault()
    void act(message())
  })
}

onSubmit('email', () => {
  return { act: 'send-code', email: find<HTMLInputElement>('#email').value.trim() }
})
onSubmit('code', () => {
  // Whatever was copied along with the digits.
  return { act: 'confirm-code', code: find<HTMLInputElement>('#code').value.replace(/\D/g, '') }
})
onSubmit('buy', () => ({ act: 'pay' }))
onSubmit('excuse', () => ({ act: 'next-excuse' }))

const PRESSES: Readonly<Record<string, () => Promise<void>>> = {
  'ask-for-token': () => act({ act: 'ask-for-token' }),
  'sign-out': () => leave(false),
  'sign-out-everywhere': () => leave(true),
  async 'change-email'() {
    await remember({ proof: null })
    say(null)
  },
  async copy() {
    const copied = navigator.clipboard.writeText(find('#excuse').textContent ?? '')
    say(
      await copied.then(
        () => ({ word: 'copied' }),
        () => ({ word: 'copy_failed' }),
      ),
    )
  },
}

async function leave(everywhere: boolean): Promise<void> {
  await act({ act: 'sign-out', everywhere })
  const { ticket, choice } = await readState()
  if (ticket) return
  find<HTMLInputElement>('#email').value = ''
  showChoice(find('#choice'), words, choice)
  say({ word: everywhere ? 'signed_out_everywhere' : 'signed_out' })
}

document.addEventListener('click', ({ target }) => {
  const name = target instanceof HTMLElement ? target.dataset['act'] : undefined
  if (name !== undefined) void PRESSES[name]?.()
})
find('#choice').addEventListener('change', () => void keepChoice(find('#excuse-step')))
find('#language').addEventListener('change', async ({ target }) => {
  await keep({ language: (target as HTMLSelectElement).value })
  await chrome.runtime.sendMessage<Message>({ act: 'language-changed' })
})
find('#language').append(
  ...Object.entries(LANGUAGE_NAMES).map(([code, name]) => new Option(name, code)),
)

await show()
say((await readState()).notice)
await remember({ notice: null })
await chrome.action.setBadgeText({ text: '' })
chrome.storage.onChanged.addListener(() => void show())
setInterval(showNotice, TICK_MS)
const look = () => void chrome.runtime.sendMessage<Message>({ act: 'look-for-payment' })
look()
setInterval(look, LOOK_EVERY_MS)
