import { join } from 'node:path'
import { type BrowserContext, chromium, type Page, type Worker } from 'playwright-core'
import { PATIENCE_MS } from '../patience.ts'
import { findChromium } from './chromium.ts'

const BUILD = join(import.meta.dir, '../../../examples/extension/build.ts')

export type Extension = {
  readonly context: BrowserContext
  /** Its background, awake. */
  background(): Promise<Worker>
  /** Its popup, as a page of its own. */
  openPopup(language?: string): Promise<Page>
  /** Presses its button in the tab of a page, which lets it write there (`activeTab`). */
  pressButton(page: Page): Promise<void>
}

/** A browser that loads extensions, which the one from npm, a headless shell, does not. Null, with a line, for none. */
export async function extensionBrowser() {
  const found = await findChromium(process.env, async () => [])
  if (!found) console.log('not tested here: the extension: no installed Chromium runs here')
  return found
}

/** Builds the extension as its README says, for a service. */
export async function buildExtension(url: string, folder: string): Promise<void> {
  const build = Bun.spawn([process.execPath, BUILD, folder], {
    env: { ...process.env, ALIBI_URL: url },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [exitCode, errors] = await Promise.all([build.exited, new Response(build.stderr).text()])
  if (exitCode !== 0) throw new Error(errors)
}

/** A browser of a person who has just loaded the folder unpacked. */
export async function loadUnpacked(
  { executablePath, env }: { executablePath: string; env: Readonly<Record<string, string>> },
  { folder, profile }: { folder: string; profile: string },
): Promise<Extension> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    env: { ...process.env, ...env },
    timeout: PATIENCE_MS,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      '--no-sandbox',
      `--load-extension=${folder}`,
      `--disable-extensions-except=${folder}`,
      // For pressing its button.
      '--enable-unsafe-extension-debugging',
      '--disable-features=DisableLoadExtensionCommandLineSwitch',
    ],
    viewport: { width: 375, height: 600 },
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const background = async () =>
    context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  return {
    context,
    background,
    async openPopup(language = 'en') {
      const worker = await background()
      const page = await context.newPage()
      await page.goto(new URL('popup.html', worker.url()).href)
      await page.locator('main:not([aria-busy])').waitFor()
      await page.locator('#language').selectOption(language)
      await page.locator(`html[lang=${language}]`).waitFor()
      return page
    },
    async pressButton(page) {
      const session = await context.browser()?.newBrowserCDPSession()
      if (!session) throw new Error('the browser is not driven by a pipe')
      const filter = [{ type: 'tab' }]
      const { targetInfos } = await session.send('Target.getTargets', { filter })
      const tab = targetInfos.find(({ url }) => url === page.url())
      const id = new URL((await background()).url()).host
      // Newer than the driver's own types.
      const send = session.send as (method: string, params: object) => Promise<unknown>
      await send.call(session, 'Extensions.triggerAction', { id, targetId: tab?.targetId })
    },
  }
}
