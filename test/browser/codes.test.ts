import { describe, expect, test } from 'bun:test'
import type { Page, Response } from 'playwright-core'
import type { Language } from '../../domain/language.ts'
import { browserSetup } from '../support/browser/browser-setup.ts'
import { type Person, person } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()

const WRONG_CODE = { statuses: [401] }
const RESEND_WAIT_MS = 30_000
const ARABIC_ZERO = 0x660

/** Enters a code, and waits until the page has said what is wrong with it: until then it takes no other. */
async function enterWrongCode(page: Page, buyer: Person, code: string): Promise<Response> {
  const answer = page.waitForResponse(/confirm-email/)
  await buyer.enterCode(code)
  await answer
  await page.locator('#problem-text', { hasText: /./ }).waitFor()
  return answer
}

/** A code that is not this one. */
function otherCode(code: string, distance: number): string {
  return String((Number(code) + distance) % 1_000_000).padStart(6, '0')
}

describe('wrong codes', () => {
  test.each<[Language, string[]]>([
    ['en', ['4 attempts left', '3 attempts left', '2 attempts left', 'one attempt left']],
    ['pl', ['4', '3', '2', 'jedna']],
  ])('say how many tries are left, until the code is used up (%s)', (language, left) =>
    visit({ url: url(), language, allowed: WRONG_CODE }, async (visitor) => {
      const { page, photograph, moveToAnotherNetwork } = visitor
      const buyer = person(visitor, `guesser-${language}@example.com`)
      await buyer.openApp()
      await buyer.askForCode()
      const code = await buyer.readCode()
      for (const [index, words] of left.entries()) {
        await moveToAnotherNetwork()
        await buyer.enterCode(otherCode(code, index + 1))
        await buyer.sees(buyer.words.error_invalid_code)
        await page.locator('#problem-more', { hasText: words }).waitFor()
        expect(await page.getByLabel(buyer.words.code_label).getAttribute('aria-invalid')).toBe(
          'true',
        )
      }
      await photograph('app-code-one-try-left')
      await buyer.enterCode(otherCode(code, 5))
      await buyer.sees(buyer.words.error_code_used_up)
      await photograph('app-code-used-up')
      expect((await enterWrongCode(page, buyer, code)).status()).toBe(401)
    }),
  )

  test('are no end: another mail brings another code', () =>
    visit({ url: url(), allowed: WRONG_CODE }, async (visitor) => {
      const { page, context, moveToAnotherNetwork } = visitor
      await context.clock.install()
      const buyer = person(visitor, 'guesser-again@example.com')
      await buyer.openApp()
      await buyer.askForCode()
      const code = await buyer.readCode()
      for (const distance of [1, 2, 3, 4, 5]) {
        await moveToAnotherNetwork()
        await enterWrongCode(page, buyer, otherCode(code, distance))
      }
      await buyer.sees(buyer.words.error_code_used_up)
      await context.clock.fastForward(RESEND_WAIT_MS)
      await buyer.press(buyer.words.resend_code)
      await page.locator('#development-code', { hasNotText: code }).waitFor()
      await buyer.enterCode(await buyer.readCode())
      await buyer.sees(buyer.words.email_confirmed)
    }))

  test('in a row are stopped, and the page says for how long and counts the time down', () =>
    visit({ url: url(), allowed: { statuses: [401, 429] } }, async (visitor) => {
      const { page, context, photograph, stopClock } = visitor
      await stopClock()
      const buyer = person(visitor, 'impatient@example.com')
      await buyer.openApp()
      await buyer.askForCode()
      const code = await buyer.readCode()
      const problem = page.locator('#problem-text')
      for (const distance of [1, 2, 3, 4]) {
        await enterWrongCode(page, buyer, otherCode(code, distance))
      }
      const refusal = await enterWrongCode(page, buyer, otherCode(code, 5))
      const waitSeconds = Number(refusal.headers()['retry-after'])
      const stopped = (duration: string) =>
        buyer.sees(buyer.words.error_too_many_requests, { duration })
      await stopped(`${Math.ceil(waitSeconds / 60)} minutes`)
      await photograph('app-code-too-many')
      await context.clock.fastForward((waitSeconds - 90) * 1000)
      await problem.filter({ hasText: /\b90 seconds/ }).waitFor()
      await context.clock.fastForward(91_000)
      await problem.filter({ hasText: /./ }).waitFor({ state: 'hidden' })
    }))
})

describe('a code that does not come', () => {
  test('can be asked for again after half a minute that the page counts down', () =>
    visit({ url: url(), language: 'ar', screen: 'phone' }, async (visitor) => {
      const { page, context, photograph, stopClock } = visitor
      await stopClock()
      const buyer = person(visitor, 'waiting@example.com')
      await buyer.openApp()
      await buyer.askForCode()
      const waiting = page.locator('#resend-wait')
      await waiting.filter({ hasText: '30' }).waitFor()
      expect(await buyer.button(buyer.words.resend_code).isVisible()).toBe(false)
      await context.clock.fastForward(RESEND_WAIT_MS / 2)
      await waiting.filter({ hasText: '15' }).waitFor()
      await context.clock.fastForward(RESEND_WAIT_MS / 2)
      await photograph('app-code-resend')
      await buyer.press(buyer.words.resend_code)
      await waiting.filter({ hasText: '30' }).waitFor()
      await buyer.enterCode(await buyer.readCode())
      await buyer.sees(buyer.words.email_confirmed)
    }))
})

describe('a code that is pasted', () => {
  test.each([
    [
      'in Arabic digits with a space',
      (code: string) => `${arabicDigits(code.slice(0, 3))} ${arabicDigits(code.slice(3))}`,
    ],
    [
      'with the whole line of the mail',
      (code: string) => `  ${code} is your Alibi code, valid for 10 minutes.`,
    ],
    ['with a dash', (code: string) => `${code.slice(0, 3)}-${code.slice(3)}\n`],
  ])('%s is taken at once, without a button', (how, write) =>
    visit({ url: url() }, async (visitor) => {
      const { page, context } = visitor
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const buyer = person(visitor, `${how.replaceAll(/\W/g, '-')}@example.com`)
      await buyer.openApp()
      await buyer.askForCode()
      const text = write(await buyer.readCode())
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
      await page.getByLabel(buyer.words.code_label).press('ControlOrMeta+V')
      await buyer.sees(buyer.words.email_confirmed)
    }),
  )
})

function arabicDigits(digits: string): string {
  return String.fromCharCode(...Array.from(digits, (digit) => ARABIC_ZERO + Number(digit)))
}
