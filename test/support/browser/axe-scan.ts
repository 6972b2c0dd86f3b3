import { expect } from 'bun:test'
import type { Page } from 'playwright-core'

const AXE = await Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text()

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** A rule that the page breaks, and where. */
type Violation = { readonly rule: string; readonly places: readonly string[] }

/**
 * What stands in the way of people who see, hear or point otherwise, as far as a program can tell. The driver brings
 * the rules into the page, which would itself load none.
 */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE)
  const violations = await page.evaluate<Violation[]>(`
    axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] })
      .then(({ violations }) => violations.map(({ id, nodes }) => ({
        rule: id,
        places: nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary),
      })))`)
  expect(violations).toEqual([])
}
