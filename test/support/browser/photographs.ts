import { join } from 'node:path'
import type { Page } from 'playwright-core'

const FOLDER = join(import.meta.dir, '../../browser/screenshots')

/** For whoever wants to see what the tests have seen, such as `app-email.phone.ar.dark.png`. */
export function keepPhotographs(
  page: Page,
  { screen, scheme }: { screen: string; scheme: string },
) {
  return async function photograph(what: string, onScreen = screen): Promise<void> {
    const language = await page.locator('html').getAttribute('lang')
    await page.evaluate('document.fonts.ready.then(() => null)')
    await page.screenshot({
      path: join(FOLDER, `${what}.${onScreen}.${language}.${scheme}.png`),
      animations: 'disabled',
    })
  }
}
