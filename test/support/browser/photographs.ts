import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { IS_WHOLE } from '../thoroughness.ts'

/** What the picture of a failure is called. */
export const FAILED = 'failed'
/** What Chromium's DevTools protocol answers to a capture that its compositor did not deliver. */
const CAPTURE_REFUSED = 'Unable to capture screenshot'
const CAPTURE_TRIES = 10
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
    await takePicture(page, join(FOLDER, `${what}.${onScreen}.${language}.${scheme}.png`))
  }
}

/**
 * Chromium now and then refuses a capture of a page that is all there, above all on a busy machine, and takes the very
 * same picture after the next frame. A page that can be captured at no try fails as it did at the last.
 */
async function takePicture(page: Page, path: string, triesLeft = CAPTURE_TRIES - 1): Promise<void> {
  try {
    await page.screenshot({ path, animations: 'disabled' })
  } catch (error) {
    if (triesLeft === 0 || !String(error).includes(CAPTURE_REFUSED)) throw error
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn)).then(() => null)')
    await takePicture(page, path, triesLeft - 1)
  }
}
