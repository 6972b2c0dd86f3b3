import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { browserSetup } from '../support/browser/browser-setup.ts'
import { type Person, person, wordsIn } from '../support/browser/person.ts'
import { givePremium } from '../support/browser/premium.ts'
import { developmentSetup } from '../support/browser/services.ts'
import { textsOf } from '../support/fakes.ts'

const visit = browserSetup()
const { url } = developmentSetup()
const content = builtInContent()

async function signIn(reader: Person, email: string): Promise<void> {
  await givePremium(url(), email)
  await reader.openApp()
  await reader.askForCode()
  await reader.enterCode(await reader.readCode())
  await reader.sees(reader.words.premium_active)
}

/** Holds every request to the address back, until the test lets go of them. */
async function holdBack(page: Page, address: string) {
  const released = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    asked.resolve()
    await released.promise
    // One that was given up meanwhile cannot go on.
    await route.continue().catch(() => {})
  })
  return { asked: asked.promise, release: released.resolve }
}

test.concurrent('signing out does not wait for an excuse, and none comes afterwards', () =>
  visit({ url: url(), allowed: { failures: ['net::ERR_ABORTED'] } }, async (visitor) => {
    const { page } = visitor
    const email = 'borrowed@example.com'
    const reader = person(visitor, email)
    await signIn(reader, email)
    const excuse = await holdBack(page, '**/premium-reasons*')
    await reader.press(reader.words.generate)
    await excuse.asked
    const ended = Promise.race([
      page.waitForEvent('requestfailed'),
      page.waitForEvent('requestfinished'),
    ])
    await reader.press(reader.words.sign_out)
    await reader.sees(reader.words.signed_out)
    excuse.release()
    await ended
    expect(await page.locator('#excuse').textContent()).toBe('')
    await reader.seesStep('email')

    await reader.openApp()
    await reader.seesStep('email')
    const kept = 'JSON.stringify([localStorage, sessionStorage])'
    expect(await page.evaluate<string>(kept)).not.toContain(email)
    expect(await page.locator('body').textContent()).not.toContain(email)
  }))

test.concurrent('of two languages that are chosen in quick succession the later one stays', () =>
  visit({ url: url() }, async (visitor) => {
    const { page } = visitor
    await page.goto('/app')
    const french = await holdBack(page, '**/words/fr.json*')
    const menu = page.locator('#language')
    await menu.selectOption('fr')
    await french.asked
    await menu.selectOption('de')
    await page.locator('html[lang=de]').waitFor()
    const answered = page.waitForResponse(/fr\.json/)
    french.release()
    await (await answered).finished()

    expect(await menu.inputValue()).toBe('de')
    await page.getByRole('button', { name: wordsIn('de').send_code }).waitFor()
    expect(await page.evaluate<string>('document.cookie')).toBe('language=de')
  }))

test.concurrent('an excuse that is awaited while the language changes comes in the new one', () =>
  visit({ url: url() }, async (visitor) => {
    const { page } = visitor
    const email = 'polyglot@example.com'
    const reader = person(visitor, email)
    await signIn(reader, email)
    const excuse = await holdBack(page, '**/premium-reasons?lang=en')
    await reader.press(reader.words.generate)
    await excuse.asked
    await page.locator('#language').selectOption('it')
    await page.locator('html[lang=it]').waitFor()
    excuse.release()
    const shown = page.locator('#excuse[lang=it]')
    await shown.waitFor()
    expect(textsOf(content.in('it'))).toContain((await shown.textContent()) ?? '')
  }))

test.concurrent('signing out while the language changes leaves no excuse behind', () =>
  visit({ url: url() }, async (visitor) => {
    const { page } = visitor
    const email = 'switcher@example.com'
    const reader = person(visitor, email)
    await signIn(reader, email)
    await reader.press(reader.words.generate)
    await reader.nextExcuse('')
    const words = await holdBack(page, '**/words/es.json*')
    await page.locator('#language').selectOption('es')
    await words.asked
    await reader.press(reader.words.sign_out)
    words.release()
    await page.locator('html[lang=es]').waitFor()
    await page.getByText(wordsIn('es').signed_out, { exact: true }).waitFor()
    expect(await page.locator('#excuse').textContent()).toBe('')
  }))
