import { afterAll } from 'bun:test'
import { type Browser, chromium } from 'playwright-core'
import { HOUR_MS } from '../../../domain/duration.ts'
import type { Language } from '../../../domain/language.ts'
import { PATIENCE_MS } from '../patience.ts'
import { chromiumOfThisRun } from './chromium.ts'
import { FAILED, keepPhotographs } from './photographs.ts'
import { type Allowed, watchTrouble } from './trouble.ts'

export type Scheme = 'light' | 'dark'

/** The screens that people have. */
export const SCREENS = {
  small: { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  tablet: { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
  wall: { viewport: { width: 3840, height: 2160 } },
} as const

export type Screen = keyof typeof SCREENS

export type VisitOptions = {
  /** Where the visitor's addresses begin. */
  readonly url: string
  readonly language?: Language
  readonly screen?: Screen
  readonly scheme?: Scheme
  readonly javaScriptEnabled?: boolean
  /**
   * Whether the browser keeps a page that was left, as it does on people's devices, and shows it again on the way back.
   */
  readonly keepsPages?: boolean
  /** The troubles that the test itself causes on purpose. */
  readonly allowed?: Allowed
}

export type Visit = Awaited<ReturnType<typeof openVisit>>

/** Playwright's driver would rather have pages that are left behind thrown away. */
const WITHOUT_KEPT_PAGES = '--disable-back-forward-cache'

/** More visitors at a time would only take turns on the two cores of a small machine. */
const VISITS_AT_ONCE = 3

const gate = turnstile(VISITS_AT_ONCE)
let clients = 0

/** Gives a test file a browser, with the means to visit pages in it: each visitor with memory of their own. */
export function browserSetup() {
  const browsers = new Map<boolean, Promise<Browser | null>>()
  async function launch(keepsPages: boolean): Promise<Browser | null> {
    const found = await chromiumOfThisRun()
    if (!found) return null
    return chromium.launch({
      executablePath: found.executablePath,
      env: { ...process.env, ...found.env },
      timeout: PATIENCE_MS,
      // Containers forbid what the sandbox needs, and nothing but pages of our own is opened.
      args: ['--no-sandbox'],
      ignoreDefaultArgs: keepsPages ? [WITHOUT_KEPT_PAGES] : [],
    })
  }
  function browserThat(keepsPages: boolean): Promise<Browser | null> {
    const browser = browsers.get(keepsPages) ?? launch(keepsPages)
    browsers.set(keepsPages, browser)
    return browser
  }
  afterAll(async () => {
    for (const browser of browsers.values()) await (await browser)?.close()
  })

  /**
   * Fails, once all is done, when anything was amiss that the visitor need not have noticed. Nobody comes where no
   * browser runs, which a line of the output says.
   */
  return async function visit(
    options: VisitOptions,
    acts: (visit: Visit) => Promise<void>,
  ): Promise<void> {
    await gate.enter()
    try {
      const browser = await browserThat(options.keepsPages ?? false)
      if (browser) await actIn(await openVisit(browser, options), acts)
    } finally {
      gate.leave()
    }
  }
}

async function actIn(visitor: Visit, acts: (visit: Visit) => Promise<void>): Promise<void> {
  try {
    await acts(visitor)
    await visitor.trouble.expectNone()
  } catch (error) {
    await visitor.photograph(FAILED).catch(() => {})
    throw error
  } finally {
    await visitor.context.close()
  }
}

async function openVisit(browser: Browser, options: VisitOptions) {
  const { url, language = 'en', screen = 'desktop', scheme = 'light', allowed = {} } = options
  const context = await browser.newContext({
    ...SCREENS[screen],
    baseURL: url,
    locale: language,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    javaScriptEnabled: options.javaScriptEnabled ?? true,
    extraHTTPHeaders: { 'x-forwarded-for': nextClientAddress() },
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const trouble = await watchTrouble(context, new URL(url).host, allowed)
  const page = await context.newPage()
  return {
    page,
    context,
    language,
    screen,
    scheme,
    trouble,
    photograph: keepPhotographs(page, { screen, scheme }),
    /** From now on time passes on the pages only as the test says, however long that itself may take. */
    async stopClock(): Promise<void> {
      const now = Date.now()
      // It goes on until it stands still, and cannot be set back.
      await context.clock.install({ time: now - HOUR_MS })
      await context.clock.pauseAt(now)
    },
    /** From now on the service takes the visitor for another client, with a budget of its own. */
    moveToAnotherNetwork: () =>
      context.setExtraHTTPHeaders({ 'x-forwarded-for': nextClientAddress() }),
  }
}

/**
 * From a block that no machine uses (RFC 2544), each in a network of its own, so that each visitor has the budgets of a
 * client and of a network.
 */
export function nextClientAddress(): string {
  clients++
  return `198.${18 + (clients >> 8)}.${clients & 0xff}.1`
}

/** Lets so many in at once; the others wait in line until one leaves. */
function turnstile(places: number) {
  const line: (() => void)[] = []
  let free = places
  return {
    async enter(): Promise<void> {
      if (free === 0) await new Promise<void>((resolve) => line.push(resolve))
      else free--
    },
    leave(): void {
      const next = line.shift()
      if (next) next()
      else free++
    },
  }
}
