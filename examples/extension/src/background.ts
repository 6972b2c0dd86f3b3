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
import { hasFocus, insertText } from './insert-text.ts'
import type { Message, Reply } from './messages.ts'
import { keep, type Notice, readState, remember } from './storage.ts'
import { browserLanguage, wordsIn } from './words.ts'

const INSERT = 'insert-excuse'
const PAYMENT = 'payment'
/** After how many minutes it is asked whether the money has come, where the payment page did not say so. */
const PAYMENT_MINUTES = [2, 6, 12, 20]

// What is kept is for the extension's own pages: a page may take over the scripts that are run in it. Firefox has no
// such level for this area.
void chrome.storage.local.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' })

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
  if (!isOwnPage(sender)) return false
  act(message).then(
    () => reply(null),
    (error) => reply(noticeOf(error)),
  )
  return true
})

/** Whether a message comes from a page of the extension, and not from a script of it in somebody else's page. */
function isOwnPage({ id, url }: chrome.runtime.MessageSender): boolean {
  return id === chrome.runtime.id && (url?.startsWith(chrome.runtime.getURL('')) ?? false)
}

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

chrome.commands.onCommand.addListener(async (command, tab) => {
  if (command === INSERT) await insert(await focusedFrame(tab?.id))
})

chrome.contextMenus.onClicked.addListener(({ frameId = 0 }, tab) => {
  void insert(tab?.id === undefined ? null : { tabId: tab.id, frameIds: [frameId] })
})

type Frame = { readonly tabId: number; readonly frameIds: number[] }

/** Null where the extension may not look, or where something else than the page has the focus. */
async function focusedFrame(tabId: number | undefined): Promise<Frame | null> {
  if (tabId === undefined) return null
  const frames = await run({ target: { tabId, allFrames: true }, func: hasFocus })
  const focused = frames.find(({ result }) => result)
  return focused ? { tabId, frameIds: [focused.frameId] } : null
}

/** An excuse into the field of the frame that has the focus; where there is none, into the popup. */
async function insert(target: Frame | null): Promise<void> {
  try {
    const args: [string] = [await nextExcuse()]
    const [written] = target ? await run({ target, func: insertText, args }) : []
    if (!written?.result) await tell({ word: 'no_field' })
  } catch (error) {
    await tell(noticeOf(error))
  }
}

/** What a script gives in each frame; nothing where the browser lets no extension in, as on the pages of its store. */
function run<Args extends unknown[], Result>(
  injection: chrome.scripting.ScriptInjection<Args, Result>,
): Promise<chrome.scripting.InjectionResult<Awaited<Result>>[]> {
  return chrome.scripting.executeScript(injection).catch(() => [])
}

/** In the popup, which a mark calls attention to where it cannot be opened. */
async function tell(notice: Notice): Promise<void> {
  await remember({ notice })
  await chrome.action.setBadgeText({ text: '!' })
  await chrome.action.openPopup().catch(() => {})
}
