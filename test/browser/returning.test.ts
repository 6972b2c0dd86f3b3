import { expect, test } from 'bun:test'
import { browserSetup } from '../support/browser/browser-setup.ts'
import { person } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'
import { wrongCodes } from '../support/service/real-service.ts'

const visit = browserSetup()
const { url } = developmentSetup()

test.concurrent('a buyer for whom there is no room at once is let in as soon as there is, and never asked to pay again', () =>
  visit({ url: url(), screen: 'phone', allowed: { statuses: [429] } }, async (visitor) => {
    const { page, photograph, stopClock } = visitor
    const buyer = person(visitor, 'crowded@example.com')
    await buyer.proveAddress()
    await buyer.goToPayment()
    await stopClock()
    await page.route('**/auth/token', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '40' },
        json: { error: 'Too many requests, please try again later' },
      }),
    )
    await buyer.press('Pay now')
    await buyer.follow(buyer.words.open_app)
    await page.locator('#problem-text', { hasText: '40 seconds' }).waitFor()
    await buyer.buyButton().waitFor({ state: 'hidden' })
    await photograph('app-returned-too-soon')

    await page.unrouteAll()
    await page.clock.runFor(41_000)
    await buyer.sees(buyer.words.premium_active)
    await buyer.seesStep('excuse')
  }))

/** Remembers each error that a page shows, if only for a moment. */
const WATCH_ERRORS = `new MutationObserver(() => {
  const text = document.querySelector('#problem-text')?.textContent
  if (text) window.showsError(text)
}).observe(document, { subtree: true, childList: true, characterData: true })`

test.concurrent.each(['en', 'ar', 'ja'] as const)(
  'whoever has tried and gone back before they paid is let in without a word of reproach: %s',
  (language) =>
    visit(
      { url: url(), language, screen: 'phone', allowed: { statuses: [401, 403] } },
      async (visitor) => {
        const { page, context } = visitor
        const buyer = person(visitor, `second-thoughts-${language}@example.com`)
        await buyer.openApp()
        await buyer.askForCode()
        const code = await buyer.readCode()
        for (const wrong of wrongCodes(code, 2)) {
          await buyer.enterCode(wrong)
          await buyer.sees(buyer.words.error_invalid_code)
        }
        await buyer.enterCode(code)
        await buyer.sees(buyer.words.email_confirmed)
        const errors: string[] = []
        await context.exposeFunction('showsError', (text: string) => errors.push(text))
        await context.addInitScript({ content: WATCH_ERRORS })
        for (let cancels = 0; cancels < 2; cancels++) {
          await buyer.goToPayment()
          await page.goto('/payment/cancel')
          await buyer.follow(buyer.words.open_app)
          await buyer.buyButton().waitFor()
        }
        for (let reloads = 0; reloads < 3; reloads++) {
          await page.reload()
          await buyer.buyButton().waitFor()
        }
        await buyer.goToPayment()
        await buyer.press('Pay now')
        await buyer.follow(buyer.words.open_app)
        await buyer.sees(buyer.words.premium_active)
        await buyer.seesStep('excuse')
        expect(errors).toEqual([])
      },
    ),
)

test.concurrent('two tabs with two addresses do not get in each other’s way', () =>
  visit({ url: url() }, async (visitor) => {
    const buyer = person(visitor, 'first@example.com')
    await buyer.proveAddress()
    const secondTab = await visitor.context.newPage()
    const other = person({ ...visitor, page: secondTab }, 'second@example.com')
    await other.openApp()
    await other.press(other.words.change_email)
    await other.askForCode()
    await other.enterCode(await other.readCode())
    await other.sees(other.words.email_confirmed)

    // Two codes and a question have used up what one client may ask.
    await visitor.moveToAnotherNetwork()
    await buyer.goToPayment()
    await buyer.press('Pay now')
    await buyer.follow(buyer.words.open_app)
    await buyer.sees(buyer.words.signed_in_as, { email: 'first@example.com' })
  }))

test.concurrent('a confirmation whose answer is lost has proved the address all the same', () =>
  visit(
    { url: url(), allowed: { failures: ['net::ERR_CONNECTION_RESET'], statuses: [403] } },
    async (visitor) => {
      const { page } = visitor
      const buyer = person(visitor, 'tunnel@example.com')
      await buyer.openApp()
      await buyer.askForCode()
      await page.route('**/auth/confirm-email', async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await buyer.enterCode(await buyer.readCode())
      await buyer.sees(buyer.words.error_network)
      await buyer.press(buyer.words.retry)
      await buyer.buyButton().waitFor()
      expect(await page.evaluate('document.activeElement.tagName')).toBe('BUTTON')
    },
  ))

test.concurrent('whoever looks at the mail and finds the page loaded anew reads where the code went', () =>
  visit({ url: url(), screen: 'phone' }, async (visitor) => {
    const email = 'reloaded@example.com'
    const buyer = person(visitor, email)
    await buyer.openApp()
    await buyer.askForCode()
    const code = await buyer.readCode()
    await visitor.page.reload()
    await buyer.sees(buyer.words.code_sent, { email })
    await buyer.button(buyer.words.resend_code).waitFor({ state: 'hidden' })
    await buyer.enterCode(code)
    await buyer.sees(buyer.words.email_confirmed)
  }))

test.concurrent('the page is there before its script, and says so when that does not come', () =>
  visit({ url: url() }, async (visitor) => {
    const { page } = visitor
    const buyer = person(visitor, 'patient@example.com')
    const released = Promise.withResolvers<void>()
    await page.route('**/assets/app.js*', async (route) => {
      await released.promise
      await route.continue()
    })
    await page.goto('/app', { waitUntil: 'commit' })
    await buyer.sees(buyer.words.subtitle)
    await page.locator('#email').waitFor({ state: 'hidden' })
    await page.getByText(buyer.words.error_timeout).waitFor({ state: 'visible' })
    released.resolve()
    await page.locator('#email').waitFor({ state: 'visible' })
    await buyer.seesNo(buyer.words.error_timeout)
  }))
