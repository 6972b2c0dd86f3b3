import { describe, expect, test } from 'bun:test'
import type { Language } from '../../domain/language.ts'
import {
  ANSWERS,
  type Answer,
  FAULT_ANSWER,
  OUTAGE_ANSWERS,
  REQUEST_ANSWERS,
} from '../../interfaces/http/response/errors.ts'
import { browserSetup } from '../support/browser/browser-setup.ts'
import { filledIn, person, wordsIn } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()

const EMAIL = 'unlucky@example.com'
const REQUEST_ID = '0197a2b4-5c6d-7e8f-9a0b-1c2d3e4f5a6b'
const RETRY_AFTER_SECONDS = 600
/** The same in the words of each language that is tried. */
const WAIT = { en: '10 minutes', ar: '10 دقائق', ja: '10 分' } as const

const EVERY_ANSWER: readonly Answer[] = [
  ...Object.values(ANSWERS),
  ...Object.values(REQUEST_ANSWERS),
  ...Object.values(OUTAGE_ANSWERS),
  FAULT_ANSWER,
]

function responseOf({ status, error, message, headers = {} }: Answer) {
  return {
    status,
    json: { error, message },
    headers: {
      ...headers,
      'x-request-id': REQUEST_ID,
      ...(status === 429 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
    },
  }
}

/** What the page may say of an error, as the translators have written it. */
function errorTexts(language: keyof typeof WAIT): string[] {
  return Object.entries(wordsIn(language))
    .filter(([key]) => key.startsWith('error_'))
    .map(([, text]) => filledIn(text ?? '', { duration: WAIT[language] }))
}

describe('an error answer', () => {
  test.concurrent.each<keyof typeof WAIT & Language>(['en', 'ar', 'ja'])(
    'of every kind is told in words of the language, and never in those of the API (%s)',
    (language) =>
      visit(
        {
          url: url(),
          language,
          screen: 'phone',
          allowed: { statuses: [...new Set(EVERY_ANSWER.map(({ status }) => status))] },
        },
        async (visitor) => {
          const { page, photograph } = visitor
          const unlucky = person(visitor, EMAIL)
          const texts = errorTexts(language)
          const problem = page.locator('#problem-text')
          await unlucky.openApp()
          let next: Answer = FAULT_ANSWER
          await page.route('**/auth/verify-email', (route) => route.fulfill(responseOf(next)))
          const field = page.getByLabel(unlucky.words.email_label)
          await field.fill(EMAIL)
          for (const answer of EVERY_ANSWER) {
            next = answer
            const answered = page.waitForResponse('**/auth/verify-email')
            await field.press('Enter')
            expect((await answered).status()).toBe(answer.status)
            await problem.filter({ hasText: /./ }).waitFor()
            expect(texts).toContain((await problem.textContent()) ?? '')
            expect(await page.locator('.card').textContent()).not.toContain(answer.error)
            if (answer.status === 500) await photograph('app-email-problem')
          }
        },
      ),
  )

  test.concurrent('of our own making carries its number, for whoever asks for help', () =>
    visit({ url: url(), allowed: { statuses: [500] } }, async (visitor) => {
      const { page } = visitor
      const unlucky = person(visitor, EMAIL)
      await unlucky.openApp()
      await page.route('**/auth/verify-email', (route) => route.fulfill(responseOf(FAULT_ANSWER)))
      await page.getByLabel(unlucky.words.email_label).fill(EMAIL)
      await unlucky.press(unlucky.words.send_code)
      await unlucky.sees(unlucky.words.error_server)
      await unlucky.sees(unlucky.words.error_reference, { id: REQUEST_ID })
      await page.unrouteAll()
      await unlucky.press(unlucky.words.retry)
      await unlucky.seesStep('code')
    }))

  test.concurrent('of somebody in between is told in our words, too', () =>
    visit({ url: url(), allowed: { statuses: [502] } }, async (visitor) => {
      const { page } = visitor
      const unlucky = person(visitor, EMAIL)
      await unlucky.openApp()
      await page.route('**/auth/verify-email', (route) =>
        route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
      )
      await page.getByLabel(unlucky.words.email_label).fill(EMAIL)
      await unlucky.press(unlucky.words.send_code)
      await unlucky.sees(unlucky.words.error_server)
    }))
})

describe('what cannot be an address', () => {
  test.concurrent.each(['', 'nobody', 'no body@example.com', 'me@localhost'])(
    'is refused without asking the service: %j',
    (typed) =>
      visit({ url: url() }, async (visitor) => {
        const { page } = visitor
        const unlucky = person(visitor, typed)
        let requests = 0
        await unlucky.openApp()
        page.on('request', (request) => {
          if (request.method() === 'POST') requests++
        })
        const field = page.getByLabel(unlucky.words.email_label)
        await field.fill(typed)
        await unlucky.press(unlucky.words.send_code)
        await unlucky.sees(unlucky.words.error_invalid_email)
        expect(await field.getAttribute('aria-invalid')).toBe('true')
        expect(await field.evaluate('document.activeElement.id')).toBe('email')
        expect(requests).toBe(0)
      }),
  )
})
