import { describe, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { browserSetup, type Visit } from '../support/browser/browser-setup.ts'
import { person } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()

const LOG_IN = '**/auth/token'

/** Remembers, for each page from now on, whether the button to buy could be seen, if only for a moment. */
const WATCH_BUTTON = `new MutationObserver(() => {
  const step = document.querySelector('#buy-step')
  if (step && !step.hidden) window.hasOfferedToSell = true
}).observe(document, { subtree: true, childList: true, attributes: true })`

const hasOfferedToSell = (page: Page) => page.evaluate<boolean>('window.hasOfferedToSell === true')

/** Counts what every tab asks of the path. */
function requestsTo(context: BrowserContext, path: string): () => number {
  let requests = 0
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === path) requests++
  })
  return () => requests
}

/** Up to the page that thanks for the payment. */
async function pay(visitor: Visit, email: string) {
  const buyer = person(visitor, email)
  await buyer.proveAddress()
  await buyer.goToPayment()
  await buyer.press('Pay now')
  await buyer.sees(buyer.words.payment_active_title)
  await visitor.context.addInitScript({ content: WATCH_BUTTON })
  return buyer
}

const WAYS: readonly [string, (visitor: Visit) => Promise<Page>][] = [
  [
    'by the logo of the page that thanks',
    async ({ page }) => {
      await page.locator('header .brand').click()
      return page
    },
  ],
  [
    'by its address',
    async ({ page }) => {
      await page.goto('/app')
      return page
    },
  ],
  [
    'in another tab',
    async ({ context }) => {
      const page = await context.newPage()
      await page.goto('/app')
      return page
    },
  ],
]

describe('whoever has paid is in, and is never offered to pay again', () => {
  test.concurrent.each(WAYS)('where the app is opened %s', (way, open) =>
    visit({ url: url() }, async (visitor) => {
      const email = `${way.replaceAll(' ', '-')}@example.com`
      await pay(visitor, email)
      const page = await open(visitor)
      const buyer = person({ ...visitor, page }, email)
      await buyer.sees(buyer.words.premium_active)
      await buyer.seesStep('excuse')
      expect(await hasOfferedToSell(page)).toBe(false)
    }),
  )

  test.concurrent.each([true, false])(
    'where they go back to the app, in a browser that keeps pages: %p',
    (keepsPages) =>
      visit({ url: url(), keepsPages }, async (visitor) => {
        const { page } = visitor
        const buyer = await pay(visitor, `backwards-${keepsPages}@example.com`)
        const toApp = () => page.evaluate('setTimeout(() => history.go(2 - history.length))')
        await Promise.all([page.waitForURL('**/app', { waitUntil: 'commit' }), toApp()])
        await buyer.sees(buyer.words.premium_active)
        await buyer.seesStep('excuse')
      }),
  )

  test.concurrent('where a page that was left is shown again as it was, before its script goes on', () =>
    visit({ url: url(), allowed: { statuses: [403] } }, async (visitor) => {
      const { page } = visitor
      const buyer = person(visitor, 'frozen@example.com')
      await buyer.proveAddress()
      await buyer.goToPayment()
      await page.goBack()
      await buyer.buyButton().waitFor()
      const released = Promise.withResolvers<void>()
      await page.route(LOG_IN, async (route) => {
        await released.promise
        await route.continue()
      })
      await page.evaluate(`window.dispatchEvent(new PageTransitionEvent('pagehide'))`)
      expect(await buyer.buyButton().isVisible()).toBe(false)
      const asked = page.waitForRequest(LOG_IN)
      await page.evaluate(
        `window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`,
      )
      await asked
      expect(await buyer.buyButton().isVisible()).toBe(false)
      released.resolve()
      await buyer.buyButton().waitFor()
    }))
})

describe('while the service does not say whether the address has paid', () => {
  test.concurrent('because there is no room, the page waits as long as it is told to, and lets the buyer in', () =>
    visit({ url: url(), allowed: { statuses: [429] } }, async (visitor) => {
      const { page, stopClock } = visitor
      const buyer = await pay(visitor, 'no-room@example.com')
      await stopClock()
      await page.route(LOG_IN, (route) =>
        route.fulfill({
          status: 429,
          headers: { 'retry-after': '40' },
          json: { error: 'Too many requests, please try again later' },
        }),
      )
      await buyer.openApp()
      await page.locator('#problem-text', { hasText: '40 seconds' }).waitFor()
      await page.unrouteAll()
      await page.clock.runFor(41_000)
      await buyer.sees(buyer.words.premium_active)
      expect(await hasOfferedToSell(page)).toBe(false)
    }))

  test.concurrent('because the connection is gone, the page goes on as soon as it is back', () =>
    visit(
      { url: url(), allowed: { failures: ['net::ERR_INTERNET_DISCONNECTED'] } },
      async (visitor) => {
        const { page } = visitor
        const buyer = await pay(visitor, 'tunnel@example.com')
        await page.route(LOG_IN, (route) => route.abort('internetdisconnected'))
        await buyer.openApp()
        await buyer.sees(buyer.words.error_network)
        await buyer.button(buyer.words.retry).waitFor()
        await page.unrouteAll()
        // What every browser tells its pages then. To take this one offline and back would tell them so a moment before
        // requests can get through again.
        await page.evaluate("window.dispatchEvent(new Event('online'))")
        await buyer.sees(buyer.words.premium_active)
        expect(await hasOfferedToSell(page)).toBe(false)
      },
    ))

  test.concurrent('because the answer does not come, the page says that it waits, and offers to ask again', () =>
    visit({ url: url(), language: 'ja' }, async (visitor) => {
      const { page, context, photograph, stopClock } = visitor
      const buyer = await pay(visitor, 'slow@example.com')
      await stopClock()
      const hanging = Promise.withResolvers<void>()
      await page.route(LOG_IN, () => hanging.resolve())
      await buyer.openApp()
      await hanging.promise
      await context.clock.runFor(600)
      await buyer.sees(buyer.words.loading)
      await photograph('app-asking')
      await context.clock.runFor(4500)
      await buyer.sees(buyer.words.still_loading)
      await context.clock.runFor(15_000)
      await buyer.sees(buyer.words.error_timeout)
      expect(await hasOfferedToSell(page)).toBe(false)
      await page.unrouteAll()
      await buyer.press(buyer.words.retry)
      await buyer.sees(buyer.words.premium_active)
      expect(await hasOfferedToSell(page)).toBe(false)
    }))
})

describe('the service is asked', () => {
  test.concurrent('once at each visit of whoever has been to a payment page, and they may buy where it is not paid', () =>
    visit({ url: url(), allowed: { statuses: [403] } }, async (visitor) => {
      const { page, context } = visitor
      const asked = requestsTo(context, '/auth/token')
      const buyer = person(visitor, 'hesitant@example.com')
      await buyer.proveAddress()
      await page.reload()
      await buyer.buyButton().waitFor()
      expect(asked()).toBe(0)
      await buyer.goToPayment()
      for (const visits of [1, 2]) {
        await page.goto('/app')
        await buyer.buyButton().waitFor()
        expect(asked()).toBe(visits)
      }
    }))

  test.concurrent('for nothing by visitors without a proof, nor by those who are signed in', () =>
    visit({ url: url() }, async (visitor) => {
      const { page, context } = visitor
      const asked = requestsTo(context, '/auth/token')
      const buyer = person(visitor, 'unknown@example.com')
      await buyer.openApp()
      await buyer.seesStep('email')
      await buyer.askForCode()
      const code = await buyer.readCode()
      await page.reload()
      await buyer.seesStep('code')
      expect(asked()).toBe(0)

      await buyer.enterCode(code)
      await buyer.goToPayment()
      await buyer.press('Pay now')
      await buyer.follow(buyer.words.open_app)
      await buyer.sees(buyer.words.premium_active)
      expect(asked()).toBe(1)
      await page.reload()
      await buyer.seesStep('excuse')
      expect(asked()).toBe(1)
    }))
})
