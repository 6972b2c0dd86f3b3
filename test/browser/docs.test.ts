import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from '../support/browser/axe-scan.ts'
import { browserSetup, SCREENS, type Screen } from '../support/browser/browser-setup.ts'
import { untilOnline } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'
import { CHALLENGE, VERIFIER } from '../support/proof-key.ts'

const visit = browserSetup()
const development = developmentSetup()

const TAB_STOPS_MAX = 5
const OFFLINE = 'net::ERR_INTERNET_DISCONNECTED'

/** Someone who tries things out on the page. */
function reader(page: Page) {
  const chapter = (operation: string) =>
    page.locator('section.operation').filter({ has: page.locator(`h3#${operation}`) })

  async function unfold(operation: string): Promise<void> {
    const form = chapter(operation).locator('.run')
    if ((await form.getAttribute('open')) === null) await form.locator('summary').click()
  }

  return {
    chapter,
    unfold,
    command: async (operation: string) =>
      (await chapter(operation).locator('.command code').textContent()) ?? '',
    field: (operation: string, name: string) =>
      chapter(operation).getByRole('textbox', { name, exact: true }),
    /** Resolves with what is said of the answer, and its body. */
    async send(operation: string): Promise<{ outcome: string; body: string }> {
      await unfold(operation)
      await chapter(operation).getByRole('button', { name: /^Send/ }).click()
      const outcome = chapter(operation).locator('.outcome').filter({ hasText: / ms/ })
      await outcome.waitFor()
      return {
        outcome: (await outcome.textContent()) ?? '',
        body: (await chapter(operation).locator('.result-body').textContent()) ?? '',
      }
    },
  }
}

async function unfoldAll(page: Page): Promise<void> {
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
}

/** Goes on by the Tab key until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let step = 0; step < TAB_STOPS_MAX; step++) {
    await page.keyboard.press('Tab')
    if ((await target.and(page.locator(':focus')).count()) > 0) return
  }
  throw new Error(`${target} is not within ${TAB_STOPS_MAX} steps`)
}

const BARE_CURL = join(import.meta.dir, '../support/browser/bare-curl.ts')
const CURL = Bun.which('curl') ? '' : `curl() { '${process.execPath}' '${BARE_CURL}' "$@"; }\n`

/** What a shell prints that runs the line. */
function runInShell(command: string, env: Record<string, string> = {}): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(['sh', '-c', CURL + command], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  if (exitCode !== 0) throw new Error(`the shell says: ${stderr.toString()}`)
  return stdout.toString()
}

describe('the reference', () => {
  test('lets a reader go the whole way by its forms, typing nothing but the address', async () => {
    const email = 'by-form@example.com'
    await visit({ url: development.url() }, async ({ page, photograph }) => {
      await page.goto('/docs')
      const { send, field, unfold } = reader(page)
      await unfold('post-auth-verify-email')
      await field('post-auth-verify-email', 'email').fill(email)
      expect((await send('post-auth-verify-email')).outcome).toStartWith('200 OK')
      const { outcome, body: confirmed } = await send('post-auth-confirm-email')
      expect(outcome).toMatch(/^200 OK · \d+ ms · request [0-9a-f-]{36}$/)
      expect(JSON.parse(confirmed)).toMatchObject({ success: true, email })
      await photograph('docs-answer')

      const { checkoutUrl } = JSON.parse((await send('post-checkout')).body)
      await page.request.post(checkoutUrl, { form: { action: 'pay' } })
      expect((await send('get-payment-success')).outcome).toStartWith('200 OK')
      expect((await send('post-auth-token')).outcome).toStartWith('200 OK')
      const { body } = await send('get-premium-reasons')
      expect(JSON.parse(body)).toMatchObject({ language: 'en', email })
    })
  })

  test('sends nothing until a button is pressed, and can be used with the keyboard alone', async () => {
    await visit({ url: development.url() }, async ({ page }) => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await page.goto('/docs#get-languages')
      const chapter = reader(page).chapter('get-languages')
      await chapter.locator('h3 a').focus()
      await tabTo(page, chapter.locator('.run summary'))
      await page.keyboard.press('Enter')
      await tabTo(page, chapter.getByRole('button', { name: 'Send GET /languages' }))
      expect(asked.filter((path) => !/^\/(?:docs$|assets\/)/.test(path))).toEqual([])
      await page.keyboard.press('Enter')
      await chapter.locator('.outcome').filter({ hasText: '200 OK' }).waitFor()
    })
  })

  test('shows lines that a shell can run, with what was filled in', async () => {
    await visit({ url: development.url() }, async ({ page, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto('/docs')
      const { chapter, field, unfold, command } = reader(page)
      await unfold('post-auth-verify-email')
      await field('post-auth-verify-email', 'email').fill("o'hara@example.com")
      await chapter('post-auth-verify-email').getByRole('button', { name: /^Copy/ }).click()
      await page.locator('#copied', { hasText: 'Copied' }).waitFor({ state: 'attached' })
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(copied).toBe(await command('post-auth-verify-email'))
      expect(JSON.parse(runInShell(copied))).toMatchObject({ success: true })

      expect(runInShell(await command('get-languages'))).toContain('"languages"')
      expect(JSON.parse(runInShell(await command('get-premium-reasons'), { TOKEN: 'x' }))).toEqual({
        error: 'Invalid or expired token',
      })
    })
  })

  test('gives each reader a proof key of their own', async () => {
    const keys: string[] = []
    for (let reading = 0; reading < 2; reading++) {
      await visit({ url: development.url() }, async ({ page }) => {
        await page.goto('/docs')
        for (const [name, known] of Object.entries({
          codeChallenge: CHALLENGE,
          codeVerifier: VERIFIER,
        })) {
          const place = `[name="${name}"]`
          await page.waitForFunction(
            `!['', '${known}'].includes(document.querySelector('${place}').value)`,
          )
          const values = await page.evaluate<string[]>(
            `Array.from(document.querySelectorAll('${place}'), ({ value }) => value)`,
          )
          expect(new Set(values).size).toBe(1)
          keys.push(values[0]!)
        }
        for (const key of keys) expect(key).toMatch(/^[\w-]{43}$/)
        expect(new Set(keys).size).toBe(2 * (reading + 1))
      })
    }
  })

  test('shows refusals as they are, and when to come back', async () => {
    const allowed = { statuses: [401, 429] }
    await visit({ url: development.url(), allowed }, async ({ page }) => {
      await page.goto('/docs')
      const { send } = reader(page)
      for (let tries = 0; tries < 5; tries++) {
        const { outcome, body } = await send('post-auth-confirm-email')
        expect(outcome).toStartWith('401 Unauthorized')
        expect(JSON.parse(body)).toEqual({ error: 'Invalid or expired code' })
      }
      expect((await send('post-auth-confirm-email')).outcome).toMatch(
        /^429 Too Many Requests · \d+ ms · come back in \d+ s · /,
      )
    })
  })

  test('needs nothing more once it is there: offline it is read on, and says so of requests', async () => {
    const allowed = { failures: [OFFLINE] }
    await visit({ url: development.url(), allowed }, async ({ page, context }) => {
      await page.goto('/docs')
      await context.setOffline(true)
      const { send, chapter } = reader(page)
      await page.locator('nav a[href="#post-checkout"]').click()
      expect(page.url()).toEndWith('/docs#post-checkout')
      await chapter('post-checkout').locator('summary', { hasText: '409' }).click()
      await chapter('post-checkout').getByText('"Payment processing"').waitFor()
      expect((await send('post-checkout')).outcome).toStartWith('No answer: this device is offline')
      await context.setOffline(false)
      await untilOnline(page)
      expect((await send('get-languages')).outcome).toStartWith('200 OK')
    })
  })

  test('can be read without scripts, and then offers nothing that takes one', async () => {
    const options = { url: development.url(), javaScriptEnabled: false }
    await visit(options, async ({ page, photograph }) => {
      await page.goto('/docs')
      const { chapter, command } = reader(page)
      expect(await page.getByText('ALIBI=https://alibi.example.com').isVisible()).toBe(true)
      expect(await page.locator('button:visible, input:visible').count()).toBe(0)
      expect(await chapter('post-checkout').getByText('"checkoutUrl"').isVisible()).toBe(true)
      const env = { ALIBI: development.url() }
      expect(runInShell(await command('get-languages'), env)).toContain('"languages"')
      await photograph('docs-without-script')
    })
  })

  test.each([
    ['desktop', 'light'],
    ['small', 'dark'],
  ] as const)('keeps to the rules of accessibility on a %s screen (%s)', async (screen, scheme) => {
    await visit({ url: development.url(), screen, scheme }, async ({ page, photograph }) => {
      await page.goto('/docs')
      await photograph('docs')
      await reader(page).send('get-languages')
      await unfoldAll(page)
      await expectAccessible(page)
    })
  })

  test.each(Object.keys(SCREENS) as Screen[])('fits on a %s screen', async (screen) => {
    await visit({ url: development.url(), screen }, async ({ page, photograph }) => {
      await page.goto('/docs#post-auth-confirm-email')
      await photograph('docs-operation')
      await unfoldAll(page)
      const tooWide = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(tooWide).toBe(0)
    })
  })
})
