import { describe, expect, test } from 'bun:test'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/duration.ts'
import { REFRESH_WAITS_SECONDS } from '../../interfaces/http/pages/page-data.ts'
import { browserSetup, type Visit } from '../support/browser/browser-setup.ts'
import { person } from '../support/browser/person.ts'
import { pressInSandbox } from '../support/browser/premium.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url, endVerification } = developmentSetup()

const DEBIT = 'Pay by bank debit: the money comes later'
const [FIRST_WAIT_SECONDS = 0] = REFRESH_WAITS_SECONDS
const FIRST_WAIT_MS = FIRST_WAIT_SECONDS * SECOND_MS

/** What the service says to a buyer who comes back without having paid. */
const NOT_PAID = { statuses: [403] }

/** Follows the way up to the provider's page. */
async function checkOut(visitor: Visit, email: string) {
  const buyer = person(visitor, email)
  await buyer.proveAddress()
  await buyer.goToPayment()
  return buyer
}

describe('the money that comes later', () => {
  test.concurrent('turns the page that waits for it into thanks by itself, and opens the app', () =>
    visit({ url: url(), screen: 'phone', language: 'ar', scheme: 'dark' }, async (visitor) => {
      const { page, context, photograph } = visitor
      await context.clock.install()
      const buyer = await checkOut(visitor, 'late@example.com')
      const session = page.url()
      await buyer.press(DEBIT)
      await buyer.sees(buyer.words.payment_processing_title)
      await photograph('payment-processing')
      await pressInSandbox(session, 'money_arrives')
      await context.clock.fastForward(FIRST_WAIT_MS)
      await buyer.sees(buyer.words.payment_active_title)
      await buyer.follow(buyer.words.open_app)
      await buyer.sees(buyer.words.premium_active)
    }))

  test.concurrent('is waited for within the promised number of requests, and then by the buyer alone', () =>
    visit({ url: url() }, async (visitor) => {
      const { page, context, photograph } = visitor
      await context.clock.install()
      const buyer = await checkOut(visitor, 'later@example.com')
      const session = page.url()
      // From before there is the page, whose first look may come before a test has seen it.
      let looks = 0
      page.on('request', (request) => {
        if (request.resourceType() === 'fetch') looks++
      })
      await buyer.press(DEBIT)
      await buyer.sees(buyer.words.payment_processing_title)
      const givenUp = page.getByText(buyer.words.payment_processing_later)
      while (!(await givenUp.isVisible())) await context.clock.runFor(SECOND_MS)
      expect(looks).toBe(REFRESH_WAITS_SECONDS.length)
      await photograph('payment-processing-later')
      await pressInSandbox(session, 'money_arrives')
      await page.reload()
      await buyer.sees(buyer.words.payment_active_title)
    }))

  test.concurrent('that bounces is said to have failed, and the buyer may start again', () =>
    visit({ url: url(), allowed: NOT_PAID }, async (visitor) => {
      const { page, context, photograph } = visitor
      await context.clock.install()
      const buyer = await checkOut(visitor, 'bounced@example.com')
      const session = page.url()
      await buyer.press(DEBIT)
      await buyer.sees(buyer.words.payment_processing_title)
      await pressInSandbox(session, 'money_bounces')
      await context.clock.fastForward(FIRST_WAIT_MS)
      await buyer.sees(buyer.words.payment_unpaid_title)
      await photograph('payment-unpaid')
      await buyer.follow(buyer.words.open_app)
      await buyer.goToPayment()
    }))
})

/** The promise of the page: it looks again at least this often. */
const LOOKS_EVERY_MS = 2 * MINUTE_MS

/** Remembers each error that a page shows, and each offer to buy, if only for a moment. */
const WATCH = `new MutationObserver(() => {
  const text = document.querySelector('#problem-text')?.textContent
  if (text) window.tells(text)
  if (document.querySelector('#buy-step')?.hidden === false) window.tells('to buy')
}).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })`

describe.each(['en', 'ar', 'ja'] as const)('a debit that takes three days: %s', (language) => {
  test.concurrent.each([true, false])(
    'has a step of its own, and lets in by itself, where the money comes: %p',
    (comes) =>
      visit(
        {
          url: url(),
          language,
          screen: 'phone',
          allowed: { statuses: comes ? [409] : [403, 409] },
        },
        async (visitor) => {
          const { page, context, photograph } = visitor
          await context.clock.install()
          const email = `three-days-${language}-${comes}@example.com`
          const buyer = await checkOut(visitor, email)
          const session = page.url()
          const told: string[] = []
          await context.exposeFunction('tells', (text: string) => told.push(text))
          await context.addInitScript({ content: WATCH })
          await buyer.press(DEBIT)
          await buyer.follow(buyer.words.open_app)
          await buyer.seesStep('payment')
          await buyer.sees(buyer.words.payment_processing_text)
          await photograph(`app-payment`)

          endVerification(email)
          await context.clock.fastForward(3 * DAY_MS)
          await page.reload()
          await buyer.seesStep('email')
          await visitor.moveToAnotherNetwork()
          await buyer.askForCode()
          await buyer.enterCode(await buyer.readCode())
          await buyer.seesStep('payment')
          await page.reload()
          await buyer.seesStep('payment')
          const later = page.getByText(buyer.words.payment_processing_later)
          // Three minutes of looks, and twice that as room for their answers.
          for (let looked = 0; looked < 60 && !(await later.isVisible()); looked++) {
            await context.clock.runFor(10 * SECOND_MS)
          }
          await later.waitFor()
          expect(told).toEqual([])

          await pressInSandbox(session, comes ? 'money_arrives' : 'money_bounces')
          await context.clock.runFor(LOOKS_EVERY_MS)
          await buyer.seesStep(comes ? 'excuse' : 'buy')
          if (comes) await buyer.sees(buyer.words.premium_active)
          else await page.locator('#status', { hasText: buyer.words.payment_unpaid_text }).waitFor()
          expect(told.filter((text) => text !== 'to buy')).toEqual([])
        },
      ),
  )
})

test.concurrent('a debit is waited for also where the first question about it does not get through', () =>
  visit({ url: url(), allowed: { failures: ['net::ERR_FAILED'] } }, async (visitor) => {
    const { page, context } = visitor
    await context.clock.install()
    const buyer = await checkOut(visitor, 'tunnel@example.com')
    const session = page.url()
    await buyer.press(DEBIT)
    await buyer.sees(buyer.words.payment_processing_title)
    endVerification('tunnel@example.com')
    await context.clock.fastForward(DAY_MS)
    await visitor.moveToAnotherNetwork()
    await page.goto('/app')
    await buyer.askForCode()
    await page.route('**/auth/token', (route) => route.abort())
    await buyer.enterCode(await buyer.readCode())
    await buyer.seesStep('payment')
    expect(await page.locator('#problem-text').textContent()).toBe('')
    await pressInSandbox(session, 'money_arrives')
    await page.unrouteAll()
    await context.clock.runFor(LOOKS_EVERY_MS)
    await buyer.seesStep('excuse')
  }))

test.concurrent('who asks for the page again while a debit is under way, in a tab that was left open, is told so calmly', () =>
  visit({ url: url(), allowed: { statuses: [403, 409] } }, async (visitor) => {
    const { page, context } = visitor
    await checkOut(visitor, 'second-tab@example.com')
    const session = page.url()
    const tab = await context.newPage()
    await tab.goto('/app')
    const again = person({ ...visitor, page: tab }, 'second-tab@example.com')
    await again.buyButton().waitFor()
    await pressInSandbox(session, 'pay_late')
    await again.buyButton().click()
    await again.seesStep('payment')
    expect(await tab.locator('#problem-text').textContent()).toBe('')
  }))

test.concurrent('a payment that cannot be looked up for a while is looked up again by the page itself', () =>
  visit({ url: url(), allowed: { statuses: [404, 503] } }, async (visitor) => {
    const { page, context, photograph } = visitor
    await context.clock.install()
    const buyer = await checkOut(visitor, 'patient@example.com')
    await buyer.press('Pay now')
    await buyer.sees(buyer.words.payment_active_title)
    const paid = page.url()
    const madeUp = `${url()}/payment/success?session_id=cs_sandbox_made_up`
    await page.goto(madeUp)
    await page.goto(madeUp)
    await buyer.sees(buyer.words.payment_unavailable_title)
    await photograph('payment-unavailable')
    await page.route(madeUp, (route) => route.continue({ url: paid }))
    await context.clock.fastForward(FIRST_WAIT_MS)
    await buyer.sees(buyer.words.payment_active_title)
  }))

describe('without a payment', () => {
  test.concurrent('a declined card leaves the buyer where they can pay with another', () =>
    visit({ url: url(), screen: 'phone' }, async (visitor) => {
      const buyer = await checkOut(visitor, 'declined@example.com')
      await buyer.press('Try a card that is declined')
      await buyer.sees('The card was declined. The buyer may try again.')
      await visitor.photograph('sandbox-declined')
      await buyer.press('Pay now')
      await buyer.sees(buyer.words.payment_active_title)
    }))

  test.concurrent('whoever turns back finds the button to buy, and types nothing again', () =>
    visit({ url: url(), language: 'ja', allowed: NOT_PAID }, async (visitor) => {
      const { page, photograph } = visitor
      const buyer = await checkOut(visitor, 'undecided@example.com')
      const session = page.url()
      await buyer.follow('Cancel and go back')
      await buyer.sees(buyer.words.payment_cancel_title)
      await photograph('payment-cancel')
      await buyer.follow(buyer.words.open_app)
      await buyer.seesStep('buy')
      await buyer.goToPayment()
      expect(page.url()).toBe(session)
    }))

  test.concurrent.each([true, false])(
    'the back button leads to a page that works, in a browser that keeps pages: %p',
    (keepsPages) =>
      visit({ url: url(), keepsPages, allowed: NOT_PAID }, async (visitor) => {
        const { page } = visitor
        const buyer = await checkOut(visitor, `back-${keepsPages}@example.com`)
        const session = page.url()
        // A page that was kept is not loaded.
        await page.goBack({ waitUntil: 'commit' })
        await buyer.seesStep('buy')
        await buyer.seesNo(buyer.words.to_payment)
        await buyer.goToPayment()
        expect(page.url()).toBe(session)
      }),
  )

  test.concurrent('a page that was left, kept and is shown again goes on from where it was', () =>
    visit({ url: url(), allowed: NOT_PAID }, async (visitor) => {
      const { page } = visitor
      const buyer = person(visitor, 'kept@example.com')
      await buyer.proveAddress()
      // The browser stays where it is, as the page does that it keeps.
      const stayed = Promise.withResolvers<void>()
      await page.route('**/sandbox/**', async (route) => {
        await route.fulfill({ status: 204 })
        stayed.resolve()
      })
      await buyer.touch(buyer.buyButton())
      await buyer.sees(buyer.words.to_payment)
      // The page says so before the browser asks.
      await stayed.promise
      await page.unrouteAll()
      await page.evaluate(
        `window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`,
      )
      await buyer.seesNo(buyer.words.to_payment)
      await buyer.goToPayment()
    }))
})

describe('once the proof of the address has run out', () => {
  test.concurrent('before paying, one more code leads on, and the address is there already', () =>
    visit({ url: url(), allowed: { statuses: [403] } }, async (visitor) => {
      const { page, photograph } = visitor
      const email = 'slow@example.com'
      const buyer = person(visitor, email)
      await buyer.proveAddress()
      endVerification(email)
      await buyer.touch(buyer.buyButton())
      await buyer.sees(buyer.words.error_email_not_verified)
      expect(await page.getByLabel(buyer.words.email_label).inputValue()).toBe(email)
      await photograph('app-email-not-verified')
      await buyer.press(buyer.words.send_code)
      await buyer.enterCode(await buyer.readCode())
      await buyer.goToPayment()
    }))

  test.concurrent('after paying, one more code opens the app', () =>
    visit({ url: url(), allowed: { statuses: [403] } }, async (visitor) => {
      const email = 'dawdler@example.com'
      const buyer = await checkOut(visitor, email)
      endVerification(email)
      await buyer.press('Pay now')
      await buyer.follow(buyer.words.open_app)
      await buyer.seesStep('email')
      await buyer.press(buyer.words.send_code)
      await buyer.enterCode(await buyer.readCode())
      await buyer.sees(buyer.words.premium_active)
    }))
})
