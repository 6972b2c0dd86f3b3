import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { samplesOf } from '../../domain/excuse.ts'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { expectAccessible } from '../support/browser/axe-scan.ts'
import { browserSetup } from '../support/browser/browser-setup.ts'
import { chooseLanguage, person } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()
const content = builtInContent()
const FEW_SECONDS_MS = 7000

const shown = (page: Page) => page.locator('#sample p').filter({ visible: true }).allTextContents()

test('three excuses can be read before buying, one after the other, the same for everybody', () =>
  visit({ url: url(), screen: 'phone' }, async (visitor) => {
    const { page, context, photograph, stopClock } = visitor
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    const samples = samplesOf(content.in('en').excuses)
    expect(samples).toHaveLength(3)
    // It takes time that passes on the page, too.
    await page.goto('/app')
    await expectAccessible(page)
    await stopClock()
    await page.reload()
    expect(await shown(page)).toEqual([samples[0] ?? ''])
    await photograph('app-sample')
    for (const next of [1, 2, 0]) {
      await context.clock.runFor(FEW_SECONDS_MS)
      expect(await shown(page)).toEqual([samples[next] ?? ''])
    }
    const { words } = person(visitor, '')
    await page.getByRole('button', { name: words.sample_next }).tap()
    expect(await shown(page)).toEqual([samples[1] ?? ''])
    await context.clock.runFor(5 * FEW_SECONDS_MS)
    expect(await shown(page)).toEqual([samples[1] ?? ''])
    await chooseLanguage(page, 'ar')
    expect(samplesOf(content.in('ar').excuses)).toContain((await shown(page))[0] ?? '')
  }))

test('the excuse to try stands still for those who want no motion', () =>
  visit({ url: url() }, async ({ page, context }) => {
    await context.clock.install()
    await page.goto('/app?lang=ja')
    const first = await shown(page)
    await context.clock.runFor(5 * FEW_SECONDS_MS)
    expect(await shown(page)).toEqual(first)
    await page.locator('#sample-next').click()
    expect(await shown(page)).not.toEqual(first)
  }))

test('the first excuse to try is there without scripts', () =>
  visit({ url: url(), javaScriptEnabled: false }, async ({ page }) => {
    await page.goto('/app?lang=sv')
    expect(await shown(page)).toEqual([samplesOf(content.in('sv').excuses)[0] ?? ''])
    expect(await page.locator('#sample-next').isVisible()).toBe(false)
  }))

test('who has bought sees no samples', () =>
  visit({ url: url() }, async (visitor) => {
    const buyer = person(visitor, 'no-samples@example.com')
    await buyer.proveAddress()
    expect(await visitor.page.locator('#samples').isVisible()).toBe(true)
    await buyer.goToPayment()
    await buyer.press('Pay now')
    await buyer.follow(buyer.words.open_app)
    await buyer.seesStep('excuse')
    expect(await visitor.page.locator('#samples').isVisible()).toBe(false)
  }))
