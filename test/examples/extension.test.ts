import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { LANGUAGES } from '../../domain/language.ts'
import english from '../../examples/extension/messages/en.json'
import { expectAccessible } from '../support/browser/axe-scan.ts'
import {
  buildExtension,
  type Extension,
  extensionBrowser,
  loadUnpacked,
} from '../support/browser/extension.ts'
import { givePremium } from '../support/browser/premium.ts'
import { developmentSetup } from '../support/browser/services.ts'
import { openTemporaryFolder } from '../support/temporary-folder.ts'

/** What the built folder may weigh: 15 languages are most of it. */
const WEIGHT_MAX = 100_000

const patient = developmentSetup({
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_GENERAL: 'off',
  MAIL_LIMIT: 'off',
})
const strict = developmentSetup({ RATE_LIMIT_AUTH: '2/15m' })
const browser = await extensionBrowser()
const folder = openTemporaryFolder()
let built = 0

beforeAll(() => buildExtension(patient.url(), join(folder.path, 'weighed')))
afterAll(() => folder[Symbol.dispose]())

/** Lets a person act who has just loaded the extension. Nobody comes where no browser loads any. */
async function withExtension(
  url: string,
  acts: (extension: Extension) => Promise<void>,
): Promise<void> {
  if (!browser) return
  built++
  const [unpacked, profile] = [`built-${built}`, `profile-${built}`]
  await buildExtension(url, join(folder.path, unpacked))
  const paths = { folder: join(folder.path, unpacked), profile: join(folder.path, profile) }
  const extension = await loadUnpacked(browser, paths)
  try {
    await acts(extension)
  } finally {
    await extension.context.close()
  }
}

/** Keeps a picture where EXTENSION_SCREENSHOTS names a folder. */
async function photograph(page: Page, name: string): Promise<void> {
  const kept = process.env['EXTENSION_SCREENSHOTS']
  if (kept) await page.screenshot({ path: join(kept, `${name}.png`), fullPage: true })
}

const words = (language: string): Promise<typeof english> =>
  Bun.file(join(import.meta.dir, `../../examples/extension/messages/${language}.json`)).json()

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

async function proveAddress(popup: Page, email: string, strings = english): Promise<void> {
  await popup.locator('#email').fill(email)
  await press(popup, strings.send_code)
  await popup.locator('#code').waitFor()
  const shown = await popup.locator('#dev-code').textContent()
  await popup.locator('#code').fill(/[0-9]{6}/.exec(shown ?? '')?.[0] ?? '')
  await press(popup, strings.confirm)
}

/** Runs a script of the extension in a page, as a content script. What it throws is returned as text. */
async function runInPage({ background }: Extension, page: Page, script: string): Promise<string> {
  await page.bringToFront()
  const worker = await background()
  return worker.evaluate(`(async () => {
    const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true })
    const func = () => (${script})().then(JSON.stringify, String)
    const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, func })
    return String(result)
  })()`)
}

/** The listener of the keyboard shortcut: only a person's own keyboard reaches the browser's shortcuts. */
async function pressShortcut({ background }: Extension, field: Page): Promise<void> {
  await field.bringToFront()
  const worker = await background()
  await worker.evaluate(`(async () => {
    const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true })
    chrome.commands.onCommand.dispatch('insert-excuse', tab)
  })()`)
}

async function chooseInContextMenu({ background }: Extension, field: Page): Promise<void> {
  await field.bringToFront()
  const worker = await background()
  await worker.evaluate(`(async () => {
    const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true })
    chrome.contextMenus.onClicked.dispatch({ menuItemId: 'insert-excuse', frameId: 0 }, tab)
  })()`)
}

test.each(['en', 'ar', 'ja'])(
  'a person goes from nothing to an excuse in a text field (%s)',
  (language) =>
    withExtension(patient.url(), async (extension) => {
      const { context } = extension
      const strings = await words(language)
      const popup = await extension.openPopup(language)
      await photograph(popup, `${language}-1-sign-in`)
      await expectAccessible(popup)

      await popup.locator('#email').fill(`walker-${language}@example.com`)
      await press(popup, strings.send_code)
      await popup.locator('#code').waitFor()
      await photograph(popup, `${language}-2-code`)
      await expectAccessible(popup)

      const shown = await popup.locator('#dev-code').textContent()
      await popup.locator('#code').fill(/[0-9]{6}/.exec(shown ?? '')?.[0] ?? '')
      await press(popup, strings.confirm)
      const buy = popup.getByRole('button', { name: strings.buy, exact: true })
      await buy.waitFor()
      await photograph(popup, `${language}-3-buy`)
      await expectAccessible(popup)

      const opened = context.waitForEvent('page')
      await buy.click()
      const payment = await opened
      await payment.getByRole('button', { name: 'Pay now' }).click()
      await payment.waitForURL('**/payment/success*')
      await popup.locator('#excuse-step').waitFor()
      await payment.close()

      await popup.getByLabel(strings.occasion_late, { exact: true }).check()
      await press(popup, strings.generate)
      await popup.locator('#excuse').filter({ hasText: /./ }).waitFor()
      await photograph(popup, `${language}-4-excuse`)
      await expectAccessible(popup)
      const shownExcuse = await popup.locator('#excuse').textContent()

      await popup.reload()
      await popup
        .locator('#excuse')
        .filter({ hasText: shownExcuse ?? '' })
        .waitFor()
      expect(await popup.locator('input[name=occasion][value=late]').isChecked()).toBe(true)

      const field = await openFields(extension, patient.url())
      await pressShortcut(extension, field)
      await field.waitForFunction(`document.querySelector('textarea').value.length > 12`)
      const written = await field.locator('textarea').inputValue()
      expect(written).toStartWith('Dear ')
      expect(written).toEndWith(' Bye')
      expect(await field.evaluate<string[]>('heard')).toEqual(['insertText'])
    }),
)

/** Fields on a page of the host that the extension may always write on; the caret is between two words of the first. */
async function openFields({ context }: Extension, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.route('**/fields', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<textarea>Dear  Bye</textarea><p contenteditable>Note: </p><input><input type="password" value="">',
    }),
  )
  await page.goto(`${url}/fields`)
  await page.evaluate(`
    globalThis.heard = []
    addEventListener('input', ({ inputType }) => heard.push(inputType))
    const area = document.querySelector('textarea')
    area.focus()
    area.setSelectionRange(5, 5)`)
  return page
}

test('the context menu writes into an input and into editable text, and never into a password', () =>
  withExtension(patient.url(), async (extension) => {
    const email = 'menu@example.com'
    await givePremium(patient.url(), email)
    const popup = await extension.openPopup()
    await proveAddress(popup, email)
    await popup.locator('#excuse-step').waitFor()
    const field = await openFields(extension, patient.url())

    await field.locator('[contenteditable]').focus()
    await chooseInContextMenu(extension, field)
    await field.waitForFunction(`document.querySelector('p').textContent.length > 10`)
    await field.locator('input').first().focus()
    await chooseInContextMenu(extension, field)
    await field.waitForFunction(`document.querySelector('input').value !== ''`)
    expect(await field.evaluate<string[]>('heard')).toEqual(['insertText', 'insertText'])

    await field.locator('[type=password]').focus()
    await chooseInContextMenu(extension, field)
    await popup.waitForFunction(`chrome.action.getBadgeText({}).then((text) => text === '!')`)
    expect(await field.locator('[type=password]').inputValue()).toBe('')
    await popup.reload()
    await popup.getByText(english.no_field).waitFor()
  }))

test('the shortcut writes into the frame that has the focus, and into no other', () =>
  withExtension(patient.url(), async (extension) => {
    const email = 'framed@example.com'
    await givePremium(patient.url(), email)
    const popup = await extension.openPopup()
    await proveAddress(popup, email)
    await popup.locator('#excuse-step').waitFor()
    const page = await openFields(extension, patient.url())
    // A frame in editable text is no text of it.
    await page.evaluate(`document.querySelector('p').append(
      Object.assign(document.createElement('iframe'), { src: '/fields' }))`)
    const [outer, inner] = [
      page.locator('textarea'),
      page.frameLocator('iframe').locator('textarea'),
    ]

    await inner.focus()
    await pressShortcut(extension, page)
    await page.frames()[1]!.waitForFunction(`document.querySelector('textarea').value.length > 10`)
    const written = await inner.inputValue()

    await outer.focus()
    await pressShortcut(extension, page)
    await page.waitForFunction(`document.querySelector('textarea').value.length > 10`)
    expect(await page.evaluate<string[]>('heard')).toEqual(['insertText'])
    expect(await page.locator('p').textContent()).toBe('Note: ')
    expect(await inner.inputValue()).toBe(written)
  }))

test('a script in a page reads nothing of what is kept, and is not heard by the background', () =>
  withExtension(patient.url(), async (extension) => {
    const email = 'taken-over@example.com'
    await givePremium(patient.url(), email)
    const popup = await extension.openPopup()
    await proveAddress(popup, email)
    await popup.locator('#excuse-step').waitFor()
    const page = await openFields(extension, patient.url())

    const readings = ['local', 'session'].map((area) =>
      runInPage(extension, page, `async () => await chrome.storage.${area}.get()`),
    )
    expect(await Promise.all(readings)).toEqual([
      expect.stringContaining('not allowed'),
      expect.stringContaining('not allowed'),
    ])
    await runInPage(
      extension,
      page,
      `async () => await chrome.runtime.sendMessage({ act: 'sign-out', everywhere: true })`,
    )
    await popup.reload()
    await press(popup, english.generate)
    await popup.locator('#excuse').filter({ hasText: /./ }).waitFor()
  }))

test('it writes on the page of another host only once the person has called it there', () =>
  withExtension(patient.url(), async (extension) => {
    using host = otherHost()
    const email = 'elsewhere@example.com'
    await givePremium(patient.url(), email)
    const popup = await extension.openPopup()
    await proveAddress(popup, email)
    await popup.locator('#excuse-step').waitFor()

    const field = await openFields(extension, host.url)
    await pressShortcut(extension, field)
    await popup.waitForFunction(`chrome.action.getBadgeText({}).then((text) => text === '!')`)
    expect(await field.locator('textarea').inputValue()).toBe('Dear  Bye')

    await extension.pressButton(field)
    await pressShortcut(extension, field)
    await field.waitForFunction(`document.querySelector('textarea').value.length > 12`)
  }))

function otherHost(): { readonly url: string } & Disposable {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  return {
    url: server.url.origin,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

test('a token that has expired leads back to the code, and signing out leaves nothing of the person', () =>
  withExtension(patient.url(), async (extension) => {
    const email = 'expired@example.com'
    await givePremium(patient.url(), email)
    const popup = await extension.openPopup()
    await proveAddress(popup, email)
    await press(popup, english.generate)
    await popup.locator('#excuse').filter({ hasText: /./ }).waitFor()

    await popup.evaluate(
      `chrome.storage.local.set({ ticket: { email: '${email}', token: 'old' } })`,
    )
    await press(popup, english.generate)
    await popup.getByText(english.error_session_expired).waitFor()
    expect(await popup.locator('#email').inputValue()).toBe(email)
    await proveAddress(popup, email)
    await popup.locator('#excuse-step').waitFor()

    await press(popup, english.sign_out)
    await popup.getByText(english.signed_out).waitFor()
    const kept = await popup.evaluate<string>(`Promise.all([
      chrome.storage.local.get(), chrome.storage.session.get(),
    ]).then(JSON.stringify)`)
    expect(kept).not.toContain(email)
    expect(JSON.parse(kept)[0]).toMatchObject({ ticket: null, expired: null, excuse: null })
  }))

test('an address that has lost its premium is led to the payment page again', () =>
  withExtension(patient.url(), async (extension) => {
    const email = 'refunded@example.com'
    const popup = await extension.openPopup()
    await proveAddress(popup, email)
    const buy = popup.getByRole('button', { name: english.buy, exact: true })
    await buy.waitFor()
    await popup.evaluate(
      `chrome.storage.local.set({ ticket: { email: '${email}', token: 'some' } })`,
    )
    const worker = await extension.background()
    await worker.evaluate(`
      globalThis.served = fetch
      globalThis.fetch = async () => Response.json({ error: 'Premium access required' }, { status: 403 })`)
    await press(popup, english.generate)
    await popup.getByText(english.error_premium_required).waitFor()
    await worker.evaluate('globalThis.fetch = served')
    const opened = extension.context.waitForEvent('page')
    await buy.click()
    await (await opened).waitForURL(`${patient.url()}/sandbox/**`)
  }))

test('whoever is offline is told so, and the next press works once they are back', () =>
  withExtension(patient.url(), async (extension) => {
    const popup = await extension.openPopup()
    await popup.locator('#email').fill('offline@example.com')
    const worker = await extension.background()
    // What `fetch` throws, and what the browser says, without a network.
    await worker.evaluate(`
      globalThis.online = fetch
      globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'))
      Object.defineProperty(navigator, 'onLine', { value: false, configurable: true })`)
    await press(popup, english.send_code)
    await popup.getByText(english.error_offline).waitFor()
    await worker.evaluate(`globalThis.fetch = online; delete navigator.onLine`)
    await press(popup, english.send_code)
    await popup.locator('#code').waitFor()
  }))

test('a client that has asked too often is told when to come back', () =>
  withExtension(strict.url(), async (extension) => {
    const popup = await extension.openPopup()
    for (const _ of [1, 2]) {
      await popup.locator('#email').fill('eager@example.com')
      await press(popup, english.send_code)
      await popup.locator('#code').waitFor()
      await press(popup, english.change_email)
      await popup.locator('#email').waitFor()
    }
    await press(popup, english.send_code)
    await popup.getByText(/Please try again in .*\d+ min/).waitFor()
    await photograph(popup, 'en-5-limited')
  }))

test('it is small, and asks for no more than it needs', async () => {
  const root = join(folder.path, 'weighed')
  const files = await readdir(root, { recursive: true })
  const sizes = await Promise.all(files.map((file) => stat(join(root, file))))
  const weight = sizes.filter((one) => one.isFile()).reduce((sum, { size }) => sum + size, 0)
  console.log(`the extension weighs ${weight} bytes`)
  expect(weight).toBeLessThan(WEIGHT_MAX)
  const manifest = await Bun.file(join(root, 'manifest.json')).json()
  expect(manifest.host_permissions).toEqual([`${patient.url()}/*`])
  expect(manifest.permissions).toEqual([
    'activeTab',
    'alarms',
    'contextMenus',
    'scripting',
    'storage',
  ])
})

/** What a manifest says to each browser about the script in the background. */
type Manifest = {
  readonly background: { readonly service_worker: string; readonly scripts: readonly string[] }
  readonly browser_specific_settings: { readonly gecko: { readonly id: string } }
}

test.each<[string, () => Promise<Manifest>]>([
  ['the extension', () => Bun.file(join(folder.path, 'weighed/manifest.json')).json()],
  ['docs/client.md', async () => JSON.parse(await shownManifest())],
])(
  'the manifest of %s names what Chromium runs, and what Firefox runs and asks for',
  async (_, read) => {
    const { background, browser_specific_settings } = await read()
    expect(background.scripts).toEqual([background.service_worker])
    // As addons.mozilla.org takes it: like the address of a mail.
    expect(browser_specific_settings.gecko.id).toMatch(/^[a-zA-Z0-9._-]*@[a-zA-Z0-9._-]+$/)
  },
)

async function shownManifest(): Promise<string> {
  const page = await Bun.file(join(import.meta.dir, '../../docs/client.md')).text()
  return /```json\n(\{\s*"manifest_version"[^`]*)```/.exec(page)?.[1] ?? ''
}

test.each(LANGUAGES.map((language) => [language]))(
  'it has every word, with its placeholders, in %s',
  async (language) => {
    const strings: Record<string, string> = await words(language)
    const placeholders = (text = '') => (text.match(/\{\w+\}/g) ?? []).toSorted()
    expect(Object.keys(strings).toSorted()).toEqual(Object.keys(english).toSorted())
    for (const [key, text] of Object.entries(english)) {
      expect(placeholders(strings[key])).toEqual(placeholders(text))
    }
  },
)
