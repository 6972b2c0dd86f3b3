import type { Locator, Page } from 'playwright-core'
import type { Language } from '../../../domain/language.ts'
import { builtInContent } from '../../../infrastructure/content/content.ts'
import type { Visit } from './browser-setup.ts'

const content = builtInContent()

/** The words that a person reads in a language. */
export function wordsIn(language: Language) {
  return content.in(language).strings
}

export type Person = ReturnType<typeof person>

export type Step = { readonly name: StepName; readonly go: () => Promise<void> }

type StepName = 'email' | 'code' | 'buy' | 'excuse'

/** A person who reads the page, and types and presses accordingly. */
export function person({ page, language, screen }: Visit, email: string) {
  const words = wordsIn(language)
  const isTouching = screen === 'phone' || screen === 'small' || screen === 'tablet'

  async function touch(what: Locator): Promise<void> {
    if (isTouching) await what.tap()
    else await what.click()
  }

  const button = (name: string) => page.getByRole('button', { name, exact: true })

  /** Waits until the text is there, its placeholders filled in. */
  async function sees(text: string, values: Readonly<Record<string, string>> = {}): Promise<void> {
    await page
      .getByText(filledIn(text, values), { exact: true })
      .filter({ visible: true })
      .waitFor()
  }

  async function seesNo(text: string): Promise<void> {
    await page.getByText(text, { exact: true }).waitFor({ state: 'hidden' })
  }

  /** The code that is shown in development. */
  async function readCode(): Promise<string> {
    const shown = page.locator('#development-code')
    await shown.waitFor()
    return /[0-9]{6}/.exec((await shown.textContent()) ?? '')?.[0] ?? ''
  }

  async function askForCode(): Promise<void> {
    await page.getByLabel(words.email_label).fill(email)
    await touch(button(words.send_code))
    await page.getByLabel(words.code_label).waitFor()
  }

  async function enterCode(code: string): Promise<void> {
    await page.getByLabel(words.code_label).fill('')
    await page.getByLabel(words.code_label).pressSequentially(code)
    await touch(button(words.confirm))
  }

  return {
    words,
    button,
    touch,
    press: (name: string) => touch(button(name)),
    follow: (name: string) => touch(page.getByRole('link', { name, exact: true })),
    sees,
    seesNo,
    readCode,
    askForCode,
    enterCode,
    openApp: () => page.goto('/app'),
    buyButton: () => page.locator('#buy'),
    /** From the first page to the step at which to buy. */
    async proveAddress(): Promise<void> {
      await page.goto('/app')
      await askForCode()
      await enterCode(await readCode())
      await sees(words.email_confirmed)
    },
    /** On to the provider's page. */
    async goToPayment(): Promise<void> {
      await page.locator('#buy-step:not([aria-busy])').waitFor()
      await touch(page.locator('#buy'))
      await page.waitForURL((url) => !url.pathname.startsWith('/app'))
    },
    async seesStep(step: StepName | 'payment'): Promise<void> {
      await page.locator(`#${step}-step`).waitFor()
    },
    /** Waits for an excuse other than this one. */
    async nextExcuse(known: string): Promise<string> {
      const excuse = page.locator('#excuse')
      await excuse.filter({ hasNotText: known || /^$/, hasText: /./ }).waitFor()
      return (await excuse.textContent()) ?? ''
    },
  }
}

/** As pages fill in: what is put in is kept in one piece among words of the other direction (Unicode FSI and PDI). */
export function filledIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name) =>
    values[name] === undefined ? place : `\u2068${values[name]}\u2069`,
  )
}

/** The four steps of the app, one after the other, from a first visit to an excuse. */
export function stepsOf(buyer: Person): readonly Step[] {
  const { words } = buyer
  return [
    { name: 'email', go: async () => void (await buyer.openApp()) },
    { name: 'code', go: buyer.askForCode },
    {
      name: 'buy',
      async go() {
        await buyer.enterCode(await buyer.readCode())
        await buyer.sees(words.email_confirmed)
      },
    },
    {
      name: 'excuse',
      async go() {
        await buyer.goToPayment()
        await buyer.press('Pay now')
        await buyer.follow(words.open_app)
        await buyer.press(words.generate)
        await buyer.nextExcuse('')
      },
    },
  ]
}

/** Chooses in the menu, and waits until the page has changed. */
export async function chooseLanguage(page: Page, language: Language): Promise<void> {
  await page.locator('#language').selectOption(language)
  await page.locator(`html[lang=${language}]`).waitFor()
}

/** Resolves once requests get through again, which may be a moment after the page was told so. */
export async function untilOnline(page: Page): Promise<void> {
  await page.waitForFunction(
    `fetch('/health').then((answer) => answer.text()).then(() => true, () => false)`,
  )
}
