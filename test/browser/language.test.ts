import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGUAGES, type Language } from '../../domain/language.ts'
import { browserSetup } from '../support/browser/browser-setup.ts'
import { chooseLanguage, person, stepsOf, wordsIn } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()

/** All that a reader sees or is told, but for the names of the languages. */
const TEXTS = `[
  document.title,
  ...[...document.querySelectorAll('[placeholder]')].map((field) => field.placeholder),
  ...[...document.body.querySelectorAll('*:not(script, noscript, select, select *)')]
    .filter((one) => one.checkVisibility())
    .flatMap((one) => [...one.childNodes])
    .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
    .map(({ data }) => data.trim()),
].filter((text) => text !== '')`

async function readEverything(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(TEXTS)
}

/** What is English among the texts, and would be something else in the language. */
function englishAmong(texts: readonly string[], language: Language): string[] {
  const own: Readonly<Partial<Record<string, string>>> = wordsIn(language)
  const english = Object.entries(wordsIn('en'))
    .filter(([key, text]) => text !== own[key])
    .map(([, text]) => sentence(text ?? ''))
  return texts.filter((text) => english.some((one) => one.test(text)))
}

/** Matches the text whatever its placeholders stand for. */
function sentence(text: string): RegExp {
  const parts = text.split(/\{\w+\}/).map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('.+')}$`, 'u')
}

describe('the menu of languages', () => {
  test.concurrent('changes all that is on the page at once, on every step', () =>
    visit({ url: url(), screen: 'phone' }, async (visitor) => {
      const { page, photograph } = visitor
      const reader = person(visitor, 'polyglot@example.com')
      for (const { name, go } of stepsOf(reader)) {
        await go()
        for (const language of LANGUAGES.filter((one) => one !== 'en')) {
          await chooseLanguage(page, language)
          const texts = await readEverything(page)
          const { title, subtitle, pitch } = wordsIn(language)
          expect(texts).toContain(`${title} · ${subtitle}`)
          expect(texts).toContain(pitch)
          expect(englishAmong(texts, language)).toEqual([])
          await photograph(`app-${name}`)
        }
        await chooseLanguage(page, 'en')
        expect(englishAmong(await readEverything(page), 'fr')).not.toEqual([])
      }
    }))

  test.concurrent('loads no other page, and leaves alone what was typed', () =>
    visit({ url: url() }, async (visitor) => {
      const { page } = visitor
      const reader = person(visitor, 'typing@example.com')
      await reader.openApp()
      await page.getByLabel(reader.words.email_label).fill('typing@')
      let pages = 0
      page.on('request', (request) => {
        if (request.isNavigationRequest()) pages++
      })
      await chooseLanguage(page, 'hi')
      expect(await page.locator('#email').inputValue()).toBe('typing@')
      expect(pages).toBe(0)
    }))

  test.concurrent('changes the excuse, too', () =>
    visit({ url: url() }, async (visitor) => {
      const { page } = visitor
      for (const { go } of stepsOf(person(visitor, 'translated@example.com'))) await go()
      const excuse = page.locator('#excuse')
      await chooseLanguage(page, 'ar')
      expect(await excuse.getAttribute('lang')).toBe('ar')
      expect(await excuse.getAttribute('dir')).toBe('rtl')
      expect(await excuse.textContent()).toMatch(/\p{Script=Arabic}/u)
    }))

  test.concurrent('is remembered: after a reload, on a later visit, and on the page after paying', () =>
    visit({ url: url(), language: 'de' }, async (visitor) => {
      const { page } = visitor
      const reader = person(visitor, 'loyal@example.com')
      await reader.openApp()
      await chooseLanguage(page, 'sv')
      for (const go of [
        () => page.reload(),
        () => page.goto('/app'),
        () => page.goto('/payment/cancel'),
      ]) {
        await go()
        expect(await page.locator('html').getAttribute('lang')).toBe('sv')
      }
      await page.getByText(wordsIn('sv').payment_cancel_title, { exact: true }).waitFor()
    }))

  test.concurrent('stays where it was when the words cannot be had, and says so', () =>
    visit(
      { url: url(), allowed: { failures: ['net::ERR_INTERNET_DISCONNECTED'] } },
      async (visitor) => {
        const { page, context } = visitor
        const reader = person(visitor, 'offline@example.com')
        await reader.openApp()
        await context.setOffline(true)
        const menu = page.getByRole('combobox')
        await menu.selectOption('pl')
        await reader.sees(reader.words.error_network)
        expect(await menu.inputValue()).toBe('en')
      },
    ))
})

test.concurrent('a page in Arabic is the mirror image of one in English', () =>
  visit({ url: url() }, async (visitor) => {
    const { page } = visitor
    const reader = person(visitor, 'mirrored@example.com')
    await reader.openApp()
    const placeOf = async (selector: string) => (await page.locator(selector).boundingBox())!
    const places = async () => [await placeOf('.brand img'), await placeOf('.card')]
    const [brand, card] = await places()
    await chooseLanguage(page, 'ar')
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
    const [mirroredBrand, mirroredCard] = await places()
    const width = page.viewportSize()!.width
    expect(mirroredBrand!.x).toBeCloseTo(width - brand!.x - brand!.width, 0)
    expect(mirroredCard!.x).toBeCloseTo(width - card!.x - card!.width, 0)
    expect(mirroredCard!.y).toBe(card!.y)
  }))

test.concurrent.each<Language>(['en', 'ar', 'ja'])(
  'without JavaScript the app says what it needs, and shows nothing that would not work (%s)',
  (language) =>
    visit({ url: url(), language, javaScriptEnabled: false }, async (visitor) => {
      const { page, photograph } = visitor
      await page.goto('/app')
      const words = wordsIn(language)
      await page.getByText(words.needs_javascript, { exact: true }).waitFor()
      expect(await page.getByRole('button').count()).toBe(0)
      await photograph('app-without-javascript')
    }),
)
