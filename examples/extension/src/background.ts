import {
  askForToken,
  confirmCode,
  lookForPayment,
  nextExcuse,
  pay,
  sendCode,
  signOut,
} from './actions.ts'
import { Problem } from './alibi.ts'
import { insertText } from './insert-text.ts'
import type { Message, Reply } from './messages.ts'
import { keep, type Notice, readState, remember } from './storage.ts'
import { browserLanguage, wordsIn } from './words.ts'

const INSERT = 'insert-excuse'
const PAYMENT = 'payment'
/** After how many minutes it is asked whether the money has come, where the payment page did not say so. */
const PAYMENT_MINUTES = [2, 6, 12, 20]

chrome.runtime.onInstalled.addListener(() => void speak())
chrome.runtime.onStartup.addListener(() => void speak())

/** The line of the context menu, in the language of the person. */
async function speak(): Promise<void> {
  let { language } = await readState()
  if (!language) {
    language = browserLanguage()
    await keep({ language })
  }
  const words = await wordsIn(language)
  await chrome.contextMenus.removeAll()
  chrome.contextMenus.create({ id: INSERT, title: words('insert'), contexts: ['editable'] })
}

chrome.runtime.onMessage.addListener((message: Message, sender, reply: (reply: Reply) => void) => {
  if (sender.id !== chrome.runtime.id) return false
  act(message).then(
    () => reply(null),
    (error) => reply(noticeOf(error)),
  )
  return true
})

async function act(message: Message): Promise<unknown> {
  switch (message.act) {
    case 'send-code':
      return sendCode(message.email)
    case 'confirm-code':
      return confirmCode(message.code)
    case 'pay':
      await pay()
      return startLooking()
    case 'ask-for-token':
      return askForToken()
    case 'look-for-payment':
      return lookForPayment()
    case 'next-excuse':
      return nextExcuse()
    case 'sign-out':
      return signOut(message)
    case 'language-changed':
      return speak()
  }
}

function noticeOf(error: unknown): Notice {
  if (error instanceof Problem) return error.notice
  console.error(error)
  return { word: 'error_server' }
}

async function startLooking(): Promise<void> {
  const { proof } = await readState()
  if (!proof) return
  await Promise.all(
    PAYMENT_MINUTES.map((delayInMinutes) =>
      chrome.alarms.create(`${PAYMENT}-${delayInMinutes}`, { delayInMinutes }),
    ),
  )
}

chrome.alarms.onAlarm.addListener(() => void look())

// The payment page ends where the service says thank you.
chrome.tabs.onUpdated.addListener((_, { status }, { url }) => {
  if (status === 'complete' && url?.startsWith(`${ALIBI_URL}/payment/success`)) {
    void look({ isThanked: true })
  }
})

async function look(event = {}): Promise<void> {
  if (!(await lookForPayment(event))) return
  await chrome.alarms.clearAll()
  await chrome.action.setBadgeText({ text: '✓' })
}

chrome.commands.onCommand.addListener((command, tab) => {
  if (command === INSERT) void insert(tab?.id, { allFrames: true })
})

chrome.contextMenus.onClicked.addListener(({ frameId = 0 }, tab) => {
  void insert(tab?.id, { frameIds: [frameId] })
})

type Frames = { readonly allFrames: true } | { readonly frameIds: number[] }

/** An excuse into the field that has the focus; where there is none, into the popup. */
async function insert(tabId: number | undefined, frames: Frames): Promise<void> {
  try {
    const text = await nextExcuse()
    if (!(await write(text, tabId, frames))) await tell({ word: 'no_field' })
  } catch (error) {
    await tell(noticeOf(error))
  }
}

async function write(text: string, tabId: number | undefined, frames: Frames): Promise<boolean> {
  if (tabId === undefined) return false
  const results = await chrome.scripting
    .executeScript({ target: { tabId, ...frames }, func: insertText, args: [text] })
    // The browser lets no extension write on its own pages, nor on those of its store.
    .catch(() => [])
  return results.some(({ result }) => result === true)
}

/** In the popup, which a mark calls attention to where it cannot be opened. */
async function tell(notice: Notice): Promise<void> {
  await remember({ notice })
  await chrome.action.setBadgeText({ text: '!' })
  await chrome.action.openPopup().catch(() => {})
}
