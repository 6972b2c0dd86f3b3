import { describe, expect, test } from 'bun:test'
import { browserSetup } from '../support/browser/browser-setup.ts'
import { person, untilOnline } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()

const EMAIL = 'traveller@example.com'
const API = '**/auth/**'

describe('without a connection', () => {
  test.concurrent('the page says so, keeps what was typed, and works as soon as there is one again', () =>
    visit(
      {
        url: url(),
        screen: 'phone',
        language: 'ar',
        allowed: { failures: ['net::ERR_INTERNET_DISCONNECTED'] },
      },
      async (visitor) => {
        const { page, context, photograph } = visitor
        const buyer = person(visitor, EMAIL)
        await buyer.openApp()
        await context.setOffline(true)
        const field = page.getByLabel(buyer.words.email_label)
        await field.fill(EMAIL)
        await buyer.press(buyer.words.send_code)
        await buyer.sees(buyer.words.error_network)
        await photograph('app-email-offline')
        await buyer.press(buyer.words.retry)
        await buyer.sees(buyer.words.error_network)
        expect(await field.inputValue()).toBe(EMAIL)

        await context.setOffline(false)
        await untilOnline(page)
        await buyer.seesNo(buyer.words.error_network)
        await buyer.press(buyer.words.send_code)
        await buyer.seesStep('code')
      },
    ))

  test.concurrent('that the browser does not notice, one button tries the same again', () =>
    visit(
      { url: url(), allowed: { failures: ['net::ERR_CONNECTION_REFUSED'] } },
      async (visitor) => {
        const { page } = visitor
        const buyer = person(visitor, EMAIL)
        await buyer.proveAddress()
        await page.route('**/checkout', (route) => route.abort('connectionrefused'))
        await buyer.touch(buyer.buyButton())
        await buyer.sees(buyer.words.error_network)
        await page.unrouteAll()
        await buyer.press(buyer.words.retry)
        await page.waitForURL(/sandbox/)
      },
    ))
})

describe('an answer that does not come', () => {
  test.concurrent('is awaited with a word after half a second, another after five, and given up after twenty', () =>
    visit({ url: url(), language: 'ja', scheme: 'dark' }, async (visitor) => {
      const { page, context, photograph, stopClock } = visitor
      await stopClock()
      const buyer = person(visitor, EMAIL)
      await buyer.openApp()
      const hanging = Promise.withResolvers<void>()
      await page.route(API, () => hanging.resolve())
      await page.getByLabel(buyer.words.email_label).fill(EMAIL)
      await buyer.press(buyer.words.send_code)
      await hanging.promise
      await context.clock.runFor(600)
      await buyer.sees(buyer.words.loading)
      await context.clock.runFor(4500)
      await buyer.sees(buyer.words.still_loading)
      await photograph('app-email-waiting')
      await context.clock.runFor(15_000)
      await buyer.sees(buyer.words.error_timeout)
      await buyer.seesNo(buyer.words.still_loading)
      await photograph('app-email-timeout')

      await page.unrouteAll()
      await buyer.press(buyer.words.retry)
      await buyer.seesStep('code')
    }))

  test.concurrent('is awaited once: the button is pressed in vain meanwhile', () =>
    visit({ url: url() }, async (visitor) => {
      const { page } = visitor
      const buyer = person(visitor, 'nervous@example.com')
      await buyer.openApp()
      const released = Promise.withResolvers<void>()
      let requests = 0
      await page.route(API, async (route) => {
        requests++
        await released.promise
        await route.continue()
      })
      await page.getByLabel(buyer.words.email_label).fill('nervous@example.com')
      for (const _ of [1, 2, 3]) await buyer.press(buyer.words.send_code)
      released.resolve()
      await buyer.seesStep('code')
      expect(requests).toBe(1)
    }))
})
