import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { IS_WHOLE } from '../thoroughness.ts'

/** What the picture of a failure is called. */
export const FAILED = 'failed'
const FOLDER = join(import.meta.dir, '../../browser/screenshots')

/**
 * Pictures of what the tests have seen, such as `app-email.phone.ar.dark.png`: of every page where all is tried, else
 * of failures alone, since a picture takes longer than what it shows.
 */
export function keepPhotographs(
  page: Page,
  { screen, scheme }: { screen: string; scheme: string },
) {
  return async function photograph(what: string, onScreen = screen): Promise<void> {
    if (!IS_WHOLE && what !== FAILED) return
    const language = await page.locator('html').getAttribute('lang')
    await page.evaluate('document.fonts.ready.then(() => null)')
    await page.screenshot({
      path: join(FOLDER, `${what}.${onScreen}.${language}.${scheme}.png`),
      animations: 'disabled',
    })
  }
}
