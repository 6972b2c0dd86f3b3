import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGUAGES, type Language, textDirection } from '../../domain/language.ts'
import { browserSetup, SCREENS, type Screen } from '../support/browser/browser-setup.ts'
import { chooseLanguage, person, stepsOf } from '../support/browser/person.ts'
import { developmentSetup } from '../support/browser/services.ts'
import { slowNetworkSetup } from '../support/browser/slow-network.ts'

const visit = browserSetup()
const { url } = developmentSetup()
const slowNetwork = slowNetworkSetup(url)

const EVERY_SCREEN = Object.keys(SCREENS) as Screen[]

/**
 * What sticks out of the screen, or of what holds it. Fields scroll what is typed, and some words are for ears only.
 */
const STICKING_OUT = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  const isHeard = (one) => one.closest('.unseen, .skip:not(:focus)') !== null
  const outside = [...document.body.querySelectorAll('*')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !isHeard(one))
    .filter((one) => {
      const { left, right, width } = one.getBoundingClientRect()
      const isCut = !['INPUT', 'SELECT'].includes(one.tagName) && one.scrollWidth > one.clientWidth + 1
      return width > 0 && (left < -0.5 || right > innerWidth + 0.5 ||
        isCut && getComputedStyle(one).display !== 'inline')
    })
    .map((one) => one.outerHTML.slice(0, 120))
  return scrollWidth > clientWidth ? ['the page scrolls sideways: ' + scrollWidth, ...outside] : outside
})()`

/** Other tests take pictures on phones and desktops, and one of a wall takes as long as ten of a phone. */
function isPictured(screen: Screen, language: Language): boolean {
  if (screen === 'wall') return language === 'en'
  return (screen === 'small' || screen === 'tablet') && (language === 'en' || language === 'ar')
}

async function expectRoom(page: Page, screen: Screen): Promise<void> {
  const language = await page.locator('html').getAttribute('lang')
  const stickingOut = await page.evaluate<string[]>(STICKING_OUT)
  expect({ language, screen, stickingOut }).toEqual({ language, screen, stickingOut: [] })
}

describe('every step', () => {
  test.concurrent('fits on every screen, in every language', () =>
    visit({ url: url() }, async (visitor) => {
      const { page, photograph } = visitor
      for (const { name, go } of stepsOf(person(visitor, 'narrow@example.com'))) {
        await go()
        for (const language of LANGUAGES) {
          await chooseLanguage(page, language)
          for (const screen of EVERY_SCREEN) {
            await page.setViewportSize(SCREENS[screen].viewport)
            await expectRoom(page, screen)
            if (isPictured(screen, language)) await photograph(`app-${name}`, screen)
          }
        }
        await chooseLanguage(page, 'en')
        await page.setViewportSize(SCREENS.desktop.viewport)
      }
    }))
})

/** The half minute until there may be another mail ends by itself, and its words give way to a button. */
const COUNT_NOTHING_DOWN = { content: 'const now = Date.now(); Date.now = () => now' }

type Place = { readonly top: number; readonly height: number; readonly fromStart: number }

/** Less than a person sees: what is left of a rounded line height of another script. */
const TOLERANCE_PX = 0.5

describe('a change of language', () => {
  test.concurrent.each(['phone', 'desktop'] as const)(
    'moves nothing, but that it mirrors the page for another direction (%s)',
    (screen) =>
      visit({ url: url(), screen }, async (visitor) => {
        const { page } = visitor
        await page.addInitScript(COUNT_NOTHING_DOWN)
        const buyer = person(visitor, `steady-${screen}@example.com`)
        for (const { name, go } of stepsOf(buyer).slice(0, -1)) {
          await go()
          const before = await placesOf(page, name)
          const shifts = await watchShifts(page)
          await shifts.take()
          // The one language that is written from right to left comes last.
          for (const language of LANGUAGES.toSorted(byDirection)) {
            await chooseLanguage(page, language)
            const after = await placesOf(page, name)
            const moved = Object.keys(before).filter((one) => !isSame(before[one], after[one]))
            expect({ name, language, moved }).toEqual({ name, language, moved: [] })
            const shifted = await shifts.take()
            if (textDirection(language) === 'ltr')
              expect({ name, language, ...shifted }).toEqual({ name, language, ...NO_SHIFT })
          }
          await chooseLanguage(page, 'en')
        }
      }),
  )
})

function byDirection(one: Language, other: Language): number {
  return textDirection(one).localeCompare(textDirection(other))
}

/**
 * What is said to whom the script does not come within five seconds makes room for itself, and a machine may be slow.
 */
const NEVER_TOO_LONG = {
  content: `const sheet = new CSSStyleSheet()
    sheet.replaceSync('#unstarted { animation: none !important }')
    document.adoptedStyleSheets = [sheet]`,
}

test.concurrent.each(EVERY_SCREEN)('nothing shifts while a page comes in slowly (%s)', (screen) =>
  visit({ url: slowNetwork.url(), screen }, async ({ page }) => {
    await page.addInitScript(NEVER_TOO_LONG)
    for (const path of ['/app', '/app?lang=ar', '/app?lang=hi', '/payment/cancel?lang=ru']) {
      await page.goto(path)
      const shifts = await watchShifts(page)
      expect({ path, ...(await shifts.take()) }).toEqual({ path, ...NO_SHIFT })
    }
  }),
)

type Shift = {
  /** In the browser's own measure (https://web.dev/articles/cls). */
  readonly sum: number
  /** What it was, and where to. */
  readonly moved: readonly string[]
}

const NO_SHIFT: Shift = { sum: 0, moved: [] }

/** Adds up what has moved on the page since it was opened. */
async function watchShifts(page: Page): Promise<{ take(): Promise<Shift> }> {
  await page.evaluate(`
    window.shifts = { sum: 0, moved: [] }
    new PerformanceObserver((list) => {
      const placeOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ')
      for (const { value, sources } of list.getEntries()) {
        window.shifts.sum += value
        for (const { node, previousRect, currentRect } of sources)
          window.shifts.moved.push([
            (node?.outerHTML ?? node?.textContent ?? 'something gone').slice(0, 60),
            placeOf(previousRect),
            placeOf(currentRect),
          ].join(' -> '))
      }
    }).observe({ type: 'layout-shift', buffered: true })`)
  return {
    /** Since it was last asked for. */
    take: () =>
      page.evaluate<Shift>(`new Promise((resolve) => {
        const afterAFrame = (act) => requestAnimationFrame(() => setTimeout(act))
        afterAFrame(() => afterAFrame(() => {
          resolve(window.shifts)
          window.shifts = { sum: 0, moved: [] }
        }))
      })`),
  }
}

/**
 * Where the menu, the field and the button of a step are, by how far they are from the side at which reading starts.
 */
async function placesOf(page: Page, step: string): Promise<Record<string, Place>> {
  const handles = ['#language', ...(step === 'buy' ? [] : [`#${step}`]), `#${step}-step .button`]
  return page.evaluate<Record<string, Place>>(`
    Object.fromEntries(${JSON.stringify(handles)}.map((handle) => {
      const { top, height, left, right } = document.querySelector(handle).getBoundingClientRect()
      const isMirrored = document.documentElement.dir === 'rtl'
      // The menu stands where a line ends, all others where it starts.
      const isAtEnd = handle === '#language'
      return [handle, { top, height, fromStart: isAtEnd === isMirrored ? left : innerWidth - right }]
    }))`)
}

function isSame(place: Place | undefined, other: Place | undefined): boolean {
  if (!place || !other) return false
  const sides = ['top', 'height', 'fromStart'] as const
  return sides.every((side) => Math.abs(place[side] - other[side]) < TOLERANCE_PX)
}
