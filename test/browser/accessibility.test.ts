import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGUAGES, type Language } from '../../domain/language.ts'
import { expectAccessible } from '../support/browser/axe-scan.ts'
import { browserSetup, type Visit } from '../support/browser/browser-setup.ts'
import { paymentStates } from '../support/browser/payment-states.ts'
import { chooseLanguage, person, stepsOf, wordsIn } from '../support/browser/person.ts'
import { developmentSetup, productionSetup } from '../support/browser/services.ts'
import { IS_WHOLE } from '../support/thoroughness.ts'

const visit = browserSetup()
const development = developmentSetup()
const production = productionSetup()

/**
 * What a language changes for the rules: the direction, and how long words are. So each state is looked at in the
 * longest words of either direction, and one state in every language; where all is tried, each state is.
 */
const TELLING: readonly Language[] = IS_WHOLE ? LANGUAGES : ['en', 'ar', 'de']
/** One of each way of writing; the others share their colours, and all of them the style sheet. */
const ALSO_DARK: readonly Language[] = IS_WHOLE ? ['en', 'ar', 'ja'] : ['en']

async function scanIn(languages: readonly Language[], { page }: Visit): Promise<void> {
  for (const language of languages) {
    await chooseLanguage(page, language)
    await expectAccessible(page)
    if (!ALSO_DARK.includes(language)) continue
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'light' })
  }
  await chooseLanguage(page, 'en')
}

/** Makes each step fail before or at the service. */
const SPOIL = {
  email: (page: Page) => page.locator('#email').fill('nobody'),
  code: (page: Page) => page.locator('#code').fill('12'),
  buy: (page: Page) => page.route('**/checkout', (route) => route.abort()),
  excuse: (page: Page) => page.route('**/premium-reasons*', (route) => route.abort()),
}

describe('the app', () => {
  test.concurrent('has no barrier on any step, whatever goes wrong there', () =>
    visit(
      { url: development.url(), screen: 'phone', allowed: { failures: ['net::ERR_FAILED'] } },
      async (visitor) => {
        const { page } = visitor
        const buyer = person(visitor, 'all@example.com')
        for (const { name, go } of stepsOf(buyer)) {
          await go()
          await scanIn(name === 'buy' ? LANGUAGES : TELLING, visitor)
          await SPOIL[name](page)
          await page.locator(`#${name}-step .button`).first().tap()
          await page.locator('#problem-text').filter({ hasText: /./ }).waitFor()
          await visitor.photograph(`app-${name}-problem`)
          await scanIn(TELLING, visitor)
          await page.unrouteAll()
        }
      },
    ))
})

describe('the page after paying', () => {
  const states = paymentStates(production)
  /** Those whose answer is an error, too. */
  const STATUSES: Partial<Record<keyof typeof states, number>> = {
    unknown: 404,
    invalid: 400,
    unavailable: 503,
  }

  async function scan(state: keyof typeof states, path: string): Promise<void> {
    const options = {
      url: production.url(),
      screen: 'phone',
      allowed: { statuses: [STATUSES[state] ?? 200] },
    } as const
    await visit(options, async ({ page, photograph }) => {
      for (const language of state === 'processing' ? LANGUAGES : TELLING) {
        // Each time another one: the provider is asked about an unknown session once in a minute.
        const own = state === 'unknown' ? `${path}${language}` : path
        await page.goto(`${own}${own.includes('?') ? '&' : '?'}lang=${language}`)
        const words = wordsIn(language)
        await page.getByText(words[`payment_${state}_title`], { exact: true }).waitFor()
        await expectAccessible(page)
        if (!ALSO_DARK.includes(language)) continue
        await photograph(`payment-${state}`)
        await page.emulateMedia({ colorScheme: 'dark' })
        await expectAccessible(page)
        await page.emulateMedia({ colorScheme: 'light' })
      }
    })
  }

  const { unavailable, ...others } = states

  test.concurrent.each(typedKeys(others))('has no barrier: %s', async (state) =>
    scan(state, await others[state]()),
  )

  // Alone, and so not before the others are done.
  test('has no barrier: unavailable', async () => scan('unavailable', await unavailable()))
})

test.concurrent('the page of an address that is none has no barrier, and leads to the app as the start does', () =>
  visit(
    { url: production.url(), screen: 'phone', allowed: { statuses: [404] } },
    async ({ page, photograph }) => {
      for (const language of LANGUAGES) {
        await page.goto(`/nothing?lang=${language}`)
        await page.getByText(wordsIn(language).error_not_found, { exact: true }).waitFor()
        await expectAccessible(page)
        if (!ALSO_DARK.includes(language)) continue
        await photograph('not-found')
        await page.emulateMedia({ colorScheme: 'dark' })
        await expectAccessible(page)
        await page.emulateMedia({ colorScheme: 'light' })
      }
      await page.locator('a.button').tap()
      await page.waitForURL('**/app')
      await page.goto('/')
      expect(new URL(page.url()).pathname).toBe('/app')
    },
  ))

describe('the sandbox', () => {
  test.concurrent('has no barrier, whatever has become of the session', () =>
    visit({ url: development.url(), screen: 'phone' }, async (visitor) => {
      const { page, photograph } = visitor
      async function scan(name: string): Promise<void> {
        await expectAccessible(page)
        await page.emulateMedia({ colorScheme: 'dark' })
        await expectAccessible(page)
        await page.emulateMedia({ colorScheme: 'light' })
        await photograph(name)
      }
      const buyer = person(visitor, 'sandbox@example.com')
      await buyer.proveAddress()
      await buyer.goToPayment()
      const session = page.url()
      await scan('sandbox-open')
      await buyer.press('Try a card that is declined')
      await buyer.sees('The card was declined. The buyer may try again.')
      await scan('sandbox-declined')
      await buyer.press('Pay by bank debit: the money comes later')
      await buyer.sees(buyer.words.payment_processing_title)
      await page.goto(session)
      await scan('sandbox-awaiting-money')
      await buyer.press('The money arrives')
      await buyer.sees(buyer.words.payment_active_title)
      await page.goto(session)
      await scan('sandbox-paid')
    }))
})

test.concurrent('the rules are in force: a picture without words breaks one', () =>
  visit({ url: development.url() }, async ({ page }) => {
    await page.goto('/app')
    await page.evaluate(`document.querySelector('main').append(document.createElement('img'))`)
    // Bun's `rejects` turns the event loop while it waits, and so messages of other visits overtake one another.
    const error = await expectAccessible(page).catch((reason: unknown) => reason)
    expect(String(error)).toContain('image-alt')
  }))

function typedKeys<Key extends string>(record: Record<Key, unknown>): Key[] {
  return Object.keys(record) as Key[]
}
