import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { isShort } from '../../domain/excuse.ts'
import type { Language } from '../../domain/language.ts'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { expectAccessible } from '../support/browser/axe-scan.ts'
import { browserSetup, type Visit } from '../support/browser/browser-setup.ts'
import { chooseLanguage, type Person, person } from '../support/browser/person.ts'
import { givePremium } from '../support/browser/premium.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()
const content = builtInContent()

/** A reader who has paid, and is at the step on which excuses are read. */
async function signedIn(visitor: Visit, email: string): Promise<Person> {
  await givePremium(url(), email)
  const reader = person(visitor, email)
  await reader.openApp()
  await reader.askForCode()
  await reader.enterCode(await reader.readCode())
  await reader.sees(reader.words.premium_active)
  return reader
}

const chip = (page: Page, name: string, value: string) =>
  page.locator(`.chip:has([name="${name}"][value="${value}"])`)

/** Reads the next excuse, and finds it among those of the language. */
async function readNext({ page, language }: Visit, known = '') {
  await page.locator('#generate').click()
  const excuse = page.locator('#excuse')
  await excuse.filter({ hasNotText: known || /^$/, hasText: /./ }).waitFor()
  const text = (await excuse.textContent()) ?? ''
  const found = content.in(language).excuses.find((one) => one.text === text)
  if (!found) throw new Error(`no excuse of ours: ${text}`)
  return found
}

describe('the rows of buttons', () => {
  test.concurrent.each<Language>(['en', 'ar', 'ja'])(
    'choose what the excuse is for, on a phone in %s, and are remembered',
    (language) =>
      visit({ url: url(), screen: 'phone', language }, async (visitor) => {
        const { page, photograph } = visitor
        const reader = await signedIn(visitor, `chips-${language}@example.com`)
        await chip(page, 'occasion', 'late').tap()
        await chip(page, 'to', 'work').tap()
        await chip(page, 'tone', 'plain').tap()
        for (let round = 0, known = ''; round < 4; round += 1) {
          const { tags, text } = await readNext(visitor, known)
          expect(tags.occasion).toContain('late')
          expect(tags.to).toContain('work')
          expect(tags.tone).toEqual(['plain'])
          known = text
        }
        await photograph('app-chips')
        await expectAccessible(page)

        await reader.openApp()
        await reader.seesStep('excuse')
        const checked = page.locator('.chip input:checked')
        expect(
          await checked.evaluateAll((all) => all.map((one) => Reflect.get(one, 'value'))),
        ).toEqual(['late', 'work', 'plain'])
        await chip(page, 'occasion', '').tap()
        await chip(page, 'tone', '').tap()
        await chip(page, 'length', 'short').tap()
        const { tags, text } = await readNext(visitor)
        expect(tags.to).toContain('work')
        expect(isShort(text)).toBe(true)
      }),
  )

  test.concurrent('are moved through by the arrow keys, and switched by the space bar', () =>
    visit({ url: url() }, async (visitor) => {
      const { page } = visitor
      const { words } = await signedIn(visitor, 'keys-on-chips@example.com')
      const focused = () =>
        page.evaluate<string>('document.activeElement.parentElement.textContent.trim()')
      await page.locator('#skip, .skip').focus()
      for (let stop = 0; (await focused()) !== words.occasion_any && stop < 20; stop += 1) {
        await page.keyboard.press('Tab')
      }
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      expect(await focused()).toBe(words.occasion_cancel)
      await page.keyboard.press('Tab')
      expect(await focused()).toBe(words.to_any)
      await page.keyboard.press('ArrowLeft')
      expect(await focused()).toBe(words.to_date)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      expect(await focused()).toBe(words.length_short)
      await page.keyboard.press('Space')
      await page.keyboard.press('Tab')
      expect(await page.evaluate<string>('document.activeElement.id')).toBe('generate')
      await page.keyboard.press('Enter')
      await page.locator('#excuse', { hasText: /./ }).waitFor()
      const text = (await page.locator('#excuse').textContent()) ?? ''
      const found = content.in('en').excuses.find((one) => one.text === text)
      expect(found?.tags).toMatchObject({
        occasion: expect.arrayContaining(['cancel']),
        to: expect.arrayContaining(['date']),
      })
      expect(isShort(text)).toBe(true)
    }))

  test.concurrent('say so below an excuse that does not match everything', () =>
    visit({ url: url() }, async (visitor) => {
      const { page } = visitor
      const reader = await signedIn(visitor, 'widened@example.com')
      await page.route('**/premium-reasons?*occasion=miss*', (route) =>
        route.fulfill({
          json: { reason: 'Nearly.', language: 'en', email: 'x@example.com', widened: ['to'] },
        }),
      )
      await chip(page, 'occasion', 'miss').click()
      await reader.press(reader.words.generate)
      await reader.sees(reader.words.choice_widened)
      await chip(page, 'occasion', '').click()
      await reader.press(reader.words.another)
      await reader.nextExcuse('Nearly.')
      await reader.seesNo(reader.words.choice_widened)
    }))
})

describe('what the browser keeps', () => {
  test.concurrent('are the last ten, the latest first, each with its buttons', () =>
    visit({ url: url(), screen: 'phone' }, async (visitor) => {
      const { page, context, photograph } = visitor
      const reader = await signedIn(visitor, 'latest@example.com')
      const { words } = reader
      const had: string[] = []
      for (let round = 0; round < 12; round += 1)
        had.unshift((await readNext(visitor, had[0])).text)
      await reader.openApp()
      await page.locator('#latest summary').tap()
      const items = page.locator('#latest li p')
      expect(await items.allTextContents()).toEqual(had.slice(0, 10))
      await expectAccessible(page)
      await photograph('app-latest')
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.locator('#latest li').nth(3).getByRole('button', { name: words.copy }).tap()
      await reader.sees(words.copied)
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(had[3] ?? '')
    }))

  test.concurrent('are favourites, in the language in which they were read, until the reader signs out', () =>
    visit({ url: url() }, async (visitor) => {
      const { page, photograph } = visitor
      const reader = await signedIn(visitor, 'favourites@example.com')
      const { words } = reader
      expect(await page.locator('#favourites').isVisible()).toBe(false)
      const first = await readNext(visitor)
      await reader.press(words.favourite_add)
      const second = await readNext(visitor, first.text)
      await reader.press(words.favourite_add)
      await reader.openApp()
      await page.locator('#favourites summary').click()
      const items = page.locator('#favourites li')
      expect(await items.locator('p').allTextContents()).toEqual([second.text, first.text])
      await chooseLanguage(page, 'ar')
      expect(await items.locator('p').first().getAttribute('lang')).toBe('en')
      expect(await items.locator('p').first().getAttribute('dir')).toBe('ltr')
      const { favourite_remove } = content.in('ar').strings
      await photograph('app-favourites')
      await expectAccessible(page)
      await items.first().getByRole('button', { name: favourite_remove }).click()
      expect(await items.locator('p').allTextContents()).toEqual([first.text])

      await chooseLanguage(page, 'en')
      await reader.press(words.sign_out)
      await reader.seesStep('email')
      const kept = await page.evaluate<string[]>('Object.keys(localStorage)')
      expect(kept).toEqual([])
    }))

  test.concurrent('is what is not for its reader: it comes no more, unless they take that back', () =>
    visit({ url: url() }, async (visitor) => {
      const { page } = visitor
      const reader = await signedIn(visitor, 'picky@example.com')
      const { words } = reader
      const unwanted = await readNext(visitor)
      // The service gives it again and again, and then another one.
      let served = 0
      await page.route('**/premium-reasons*', async (route) => {
        served += 1
        if (served % 3 === 0) await route.fallback()
        else await route.fulfill({ json: { reason: unwanted.text, language: 'en', email: '' } })
      })
      await reader.press(words.dislike)
      await reader.sees(words.disliked)
      const next = await reader.nextExcuse(unwanted.text)
      expect(await page.evaluate<string>('document.activeElement.id')).toBe('generate')
      expect(served).toBe(3)
      expect(await page.locator('#latest p').allTextContents()).toEqual([next])
      await reader.press(words.another)
      await reader.nextExcuse(next)
      expect(served).toBe(6)
      await reader.seesNo(words.disliked)

      await reader.press(words.dislike)
      await reader.sees(words.disliked)
      const shown = await page.locator('#excuse').textContent()
      await reader.press(words.undo)
      expect(await page.locator('#excuse').textContent()).not.toBe(shown)
      expect(await page.evaluate<string>(`localStorage['alibi.disliked']`)).toBe(
        JSON.stringify([{ reason: unwanted.text, language: 'en' }]),
      )
    }))
})
