import { describe, expect, test } from 'bun:test'
import type { Language } from '../../domain/language.ts'
import { expectAccessible } from '../support/browser/axe-scan.ts'
import {
  browserSetup,
  type Scheme,
  type Screen,
  type Visit,
} from '../support/browser/browser-setup.ts'
import { type Person, person } from '../support/browser/person.ts'
import { developmentSetup, productionSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const development = developmentSetup()
const production = productionSetup()

type Device = readonly [screen: Screen, language: Language, scheme: Scheme]

describe('from a first visit to an excuse, with one code', () => {
  test.each<Device>([
    ['phone', 'en', 'dark'],
    ['phone', 'ar', 'light'],
    ['phone', 'ja', 'light'],
    ['desktop', 'ja', 'dark'],
    ['desktop', 'en', 'light'],
  ])('on a %s in %s (%s), paid in the sandbox', (screen, language, scheme) =>
    visit({ url: development.url(), screen, language, scheme }, async (visitor) => {
      const buyer = person(visitor, `${screen}-${language}@example.com`)
      await walk(visitor, buyer, {
        readCode: buyer.readCode,
        async pay() {
          await visitor.photograph('sandbox-open')
          await buyer.press('Pay now')
        },
      })
    }),
  )

  test.each<Device>([
    ['desktop', 'en', 'light'],
    ['phone', 'ar', 'dark'],
  ])('on a %s in %s (%s), by the executable in production', async (screen, language, scheme) => {
    const url = production.url()
    const stripe = production.stripe()
    const allowed = { hosts: [new URL(stripe.url).host] }
    await visit({ url, screen, language, scheme, allowed }, async (visitor) => {
      const email = `${screen}-${language}@example.com`
      const buyer = person(visitor, email)
      await walk(visitor, buyer, {
        readCode: async () => production.mailbox().latestCode(email),
        pay: () => buyer.press('Pay'),
      })
    })
    await stripe.deliverAll()
  })
})

/** Every button on the way, and no code but the first. */
async function walk(
  visitor: Visit,
  buyer: Person,
  { readCode, pay }: { readCode: () => Promise<string>; pay: () => Promise<void> },
): Promise<void> {
  const { page, context, photograph } = visitor
  const { words } = buyer
  await buyer.openApp()
  await photograph('app-email')
  await buyer.askForCode()
  await photograph('app-code')
  await buyer.enterCode(await readCode())
  await buyer.sees(words.email_confirmed)
  await photograph('app-buy')
  await buyer.goToPayment()
  await pay()
  await buyer.sees(words.payment_active_title)
  await photograph('payment-active')
  await buyer.follow(words.open_app)

  await buyer.sees(words.premium_active)
  await photograph('app-excuse-none')
  for (const value of ['late', 'friends', 'playful']) {
    await buyer.touch(page.locator(`.chip:has([value="${value}"])`))
  }
  await buyer.press(words.generate)
  const first = await buyer.nextExcuse('')
  await expectAccessible(page)
  await buyer.press(words.another)
  const second = await buyer.nextExcuse(first)
  await photograph('app-excuse')
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await buyer.press(words.copy)
  await buyer.sees(words.copied)
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(second)
  await buyer.press(words.sign_out)
  await buyer.sees(words.signed_out)
  await buyer.seesStep('email')
  await photograph('app-signed-out')
}
