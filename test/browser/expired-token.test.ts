import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserSetup, type Visit } from '../support/browser/browser-setup.ts'
import { type Person, person } from '../support/browser/person.ts'
import { givePremium } from '../support/browser/premium.ts'
import { developmentSetup } from '../support/browser/services.ts'

const visit = browserSetup()
const { url } = developmentSetup()

const EXCUSES = '**/premium-reasons*'
const EXPIRED = { statuses: [401] }

const REFUSALS: readonly [string, number, string][] = [
  ['has expired', 401, 'Invalid or expired token'],
  ['opens nothing any more, as premium is lost', 403, 'Premium access required'],
]

const everythingKept = (page: Page) =>
  page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')

const keptToken = (page: Page) => page.evaluate<string>(`localStorage.getItem('alibi.token')`)

/** Notes for each request to the API whether it carried the token: `verify-email +`, and `checkout -` without. */
function noteBearers(page: Page, token: string): string[] {
  const noted: string[] = []
  page.on('request', (request) => {
    const [, path] = /(?:\/auth)?\/([a-z-]+)$/.exec(new URL(request.url()).pathname) ?? []
    if (request.method() !== 'POST' || path === undefined) return
    const { authorization = '' } = request.headers()
    noted.push(`${path} ${authorization === `Bearer ${token}` ? '+' : authorization || '-'}`)
  })
  return noted
}

async function signIn(reader: Person): Promise<void> {
  await reader.openApp()
  await reader.askForCode()
  await reader.enterCode(await reader.readCode())
  await reader.sees(reader.words.premium_active)
}

/** Signs a reader with premium in, and lets the service refuse their token. */
async function expire(
  visitor: Visit,
  email: string,
  { status, json } = { status: 401, json: { error: 'Invalid or expired token' } },
) {
  const { page } = visitor
  await givePremium(url(), email)
  const reader = person(visitor, email)
  await signIn(reader)
  const token = await keptToken(page)
  await page.route(EXCUSES, (route) => route.fulfill({ status, json }))
  await reader.press(reader.words.generate)
  await reader.seesStep('email')
  const { error_session_expired, payment_ended_title, payment_ended_text } = reader.words
  const told = [error_session_expired, `${payment_ended_title}\n${payment_ended_text}`]
  expect(told).toContain((await page.locator('#status').textContent()) ?? '')
  expect(await page.locator('#problem-text').textContent()).toBe('')
  await page.unrouteAll()
  await visitor.moveToAnotherNetwork()
  return { reader, token }
}

const CALM = REFUSALS.flatMap((refusal) =>
  (['en', 'ar', 'ja'] as const).map((language) => [...refusal, language] as const),
)

test.concurrent.each(CALM)(
  'a token that %s is said to have ended, calmly, and sent along by whoever asks for a code again',
  (_, status, error, language) =>
    visit(
      { url: url(), language, screen: 'phone', allowed: { statuses: [status] } },
      async (visitor) => {
        const { page } = visitor
        const refusal = { status, json: { error } }
        const email = `owner-${status}-${language}@example.com`
        const { reader, token } = await expire(visitor, email, refusal)
        expect(await keptToken(page)).toBeNull()
        const noted = noteBearers(page, token)

        await page.reload()
        await reader.askForCode()
        const code = await reader.readCode()
        await page.reload()
        await reader.enterCode(code)
        await reader.sees(reader.words.premium_active)

        expect(noted).toEqual(['verify-email +', 'confirm-email +'])
        expect(await everythingKept(page)).not.toContain(token)
      },
    ),
)

test.concurrent('an expired token is sent for its own address alone, and only where a code is asked for or brought', () =>
  visit({ url: url(), allowed: EXPIRED }, async (visitor) => {
    const { page } = visitor
    const { reader, token } = await expire(visitor, 'first-owner@example.com')
    const noted = noteBearers(page, token)
    const other = person(visitor, 'second-owner@example.com')
    await other.askForCode()
    await other.enterCode(await other.readCode())
    await other.sees(other.words.email_confirmed)
    await other.goToPayment()
    await other.press('Pay now')
    await other.follow(other.words.open_app)
    await other.sees(other.words.premium_active)
    expect(noted.filter((note) => !note.startsWith('cs_'))).toEqual([
      'verify-email -',
      'confirm-email -',
      'checkout -',
      'token -',
    ])

    expect(await everythingKept(page)).toContain(token)
    await other.press(other.words.sign_out)
    await other.sees(other.words.signed_out)
    expect(await everythingKept(page)).not.toContain(token)
    noted.length = 0
    await visitor.moveToAnotherNetwork()
    await reader.askForCode()
    expect(noted).toEqual(['verify-email -'])
  }))

test.concurrent('whoever signs out everywhere with a token that has expired leaves nothing of it behind', () =>
  visit({ url: url(), allowed: EXPIRED }, async (visitor) => {
    const { page } = visitor
    const email = 'leaving@example.com'
    await givePremium(url(), email)
    const reader = person(visitor, email)
    await signIn(reader)
    const token = await keptToken(page)
    await page.route('**/auth/logout', (route) =>
      route.fulfill({ status: 401, json: { error: 'Invalid or expired token' } }),
    )
    await reader.press(reader.words.sign_out_everywhere)
    await reader.sees(reader.words.error_session_expired)
    await reader.seesStep('email')
    expect(await everythingKept(page)).not.toContain(token)
    expect(await page.getByLabel(reader.words.email_label).inputValue()).toBe(email)
  }))
