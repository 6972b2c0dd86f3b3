import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserSetup } from '../support/browser/browser-setup.ts'
import { person } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()

const STOPS_MAX = 30

/** What has the keyboard: its text or id, and whether it shows. */
const FOCUS = `(() => {
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const { width, height, top, left } = one.getBoundingClientRect()
  return {
    name: one.tagName === 'INPUT' || one.tagName === 'SELECT' ? '#' + one.id : one.textContent.trim(),
    isNowhere: one === document.body,
    isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 &&
      width > 1 && height > 1 && top >= 0 && left >= 0,
  }
})()`

type Focus = { readonly name: string; readonly isNowhere: boolean; readonly isVisible: boolean }

/** Hands that never leave the keyboard. */
function keyboard(page: Page) {
  const focus = () => page.evaluate<Focus>(FOCUS)

  /** The keyboard is somewhere, and one can see where. */
  async function expectSeen(): Promise<void> {
    expect(await focus()).toMatchObject({ isNowhere: false, isVisible: true })
  }

  return {
    focus,
    expectSeen,
    type: (text: string) => page.keyboard.type(text),
    enter: () => page.keyboard.press('Enter'),
    /** Presses the key until the one of that name is reached; every stop on the way can be seen. */
    async walkTo(name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
      for (let stop = 0; stop < STOPS_MAX; stop++) {
        await page.keyboard.press(key)
        const { name: reached, isNowhere } = await focus()
        // After the last stop the browser's own bars have their turn.
        if (isNowhere) continue
        await expectSeen()
        if (reached === name) return
      }
      throw new Error(`the keyboard does not lead to ${name}`)
    },
  }
}

describe('by keyboard alone', () => {
  test.each(['light', 'dark'] as const)(
    'one gets from the first page to an excuse and out again (%s)',
    (scheme) =>
      visit({ url: url(), scheme }, async (visitor) => {
        const { page, context, photograph } = visitor
        const email = `keys-${scheme}@example.com`
        const buyer = person(visitor, email)
        const keys = keyboard(page)
        const { words } = buyer
        await buyer.openApp()
        await keys.walkTo('#email')
        await keys.type(email)
        await keys.walkTo(words.send_code)
        await photograph('app-email-focus')
        await keys.enter()
        await buyer.seesStep('code')
        expect((await keys.focus()).name).toBe('#code')
        await keys.expectSeen()
        await keys.type(await buyer.readCode())
        await keys.enter()
        await buyer.sees(words.email_confirmed)
        await keys.expectSeen()
        expect((await keys.focus()).name).toBe((await buyer.buyButton().textContent()) ?? '')
        await keys.enter()
        await page.waitForURL(/sandbox/)
        await keys.walkTo('Pay now')
        await keys.enter()
        await buyer.sees(words.payment_active_title)
        await keys.walkTo(words.open_app)
        await keys.enter()

        await buyer.sees(words.premium_active)
        expect((await keys.focus()).name).toBe(words.generate)
        await keys.enter()
        await buyer.nextExcuse('')
        await keys.expectSeen()
        await context.grantPermissions(['clipboard-read', 'clipboard-write'])
        await keys.walkTo(words.copy)
        await keys.enter()
        await buyer.sees(words.copied)
        await keys.expectSeen()
        await keys.walkTo(words.another, 'Shift+Tab')
        await keys.walkTo(words.sign_out)
        await keys.enter()
        await buyer.sees(words.signed_out)
        expect((await keys.focus()).name).toBe('#email')
        await keys.expectSeen()
      }),
  )

  test('the first stop leads past the header', () =>
    visit({ url: url() }, async (visitor) => {
      const { page, photograph } = visitor
      const reader = person(visitor, 'skipping@example.com')
      const keys = keyboard(page)
      await reader.openApp()
      await keys.walkTo(reader.words.skip_to_content)
      await photograph('app-skip-link')
      await keys.enter()
      await page.keyboard.press('Tab')
      expect((await keys.focus()).name).toBe('#email')
    }))

  test('a mistake leaves the keyboard in the field where it was made', () =>
    visit({ url: url(), allowed: { statuses: [401] } }, async (visitor) => {
      const buyer = person(visitor, 'mistaken@example.com')
      const keys = keyboard(visitor.page)
      await buyer.openApp()
      await keys.walkTo('#email')
      await keys.type('mistaken')
      await keys.enter()
      await buyer.sees(buyer.words.error_invalid_email)
      expect((await keys.focus()).name).toBe('#email')
      await visitor.page.keyboard.press('End')
      await keys.type('@example.com')
      await keys.enter()
      await buyer.seesStep('code')
      const code = await buyer.readCode()
      await keys.type(String((Number(code) + 1) % 1_000_000).padStart(6, '0'))
      await keys.enter()
      await buyer.sees(buyer.words.error_invalid_code)
      expect((await keys.focus()).name).toBe('#code')
      await keys.expectSeen()
    }))

  test('an address that was mistyped can be typed again', () =>
    visit({ url: url() }, async (visitor) => {
      const buyer = person(visitor, 'mistyped@example.com')
      const keys = keyboard(visitor.page)
      await buyer.openApp()
      await buyer.askForCode()
      await keys.walkTo(buyer.words.change_email)
      await keys.enter()
      await buyer.seesStep('email')
      expect((await keys.focus()).name).toBe('#email')
      await keys.expectSeen()
    }))
})
