import type { Elysia } from 'elysia'
import { logFailure } from '../../../application/error-report.ts'
import type { LanguageContent, Ports } from '../../../application/ports.ts'
import type { Price } from '../../../domain/purchase.ts'
import { appPage } from '../pages/app/page.ts'
import { ERROR_MESSAGES } from '../pages/error-messages.ts'
import { pageHeaders, renderPage } from '../pages/page.ts'
import { pageWords, type WordFiles } from '../pages/page-words.ts'
import { type StaticAnswer, staticAnswer } from '../pages/static-answer.ts'
import { ROUTES } from '../paths.ts'
import type { HttpOptions } from '../request/options.ts'
import { pageContent, queryOf } from './page-language.ts'

/** Adds the page on which a person does the whole flow: made once for each language, and kept. */
export function addAppPage(routes: Elysia, { ports }: HttpOptions, files: WordFiles): void {
  const knownPrice = priceReader(ports)
  const pages = new Map<string, StaticAnswer>()
  function pageIn(content: LanguageContent, price: Price | null): StaticAnswer {
    const key = `${content.language} ${price?.currency} ${price?.amount}`
    const known = pages.get(key) ?? makePage(ports, files, content, price)
    pages.set(key, known)
    return known
  }

  routes.get(ROUTES.showApp.path, async ({ request }) => {
    const { headers } = request
    const content = pageContent(ports.content, { headers, query: queryOf(request) })
    return pageIn(content, await knownPrice()).answer(request)
  })
}

function makePage(
  { content: { languages }, rules }: Ports,
  files: WordFiles,
  content: LanguageContent,
  price: Price | null,
): StaticAnswer {
  const page = appPage({
    content,
    languages,
    data: {
      words: pageWords(content),
      wordFiles: Object.fromEntries(
        languages.map((language) => [language, files.find(language)?.path ?? '']),
      ),
      price,
      problems: ERROR_MESSAGES,
      otpLifetimeMs: rules.otpLifetimeMs,
      verificationLifetimeMs: rules.verificationLifetimeMs,
    },
  })
  return staticAnswer(renderPage(page), { ...pageHeaders(page), 'cache-control': 'no-cache' })
}

/** The price, where the provider answers at once; a slow provider keeps no visitor waiting for a page. */
function priceReader(ports: Pick<Ports, 'payments' | 'log'>): () => Promise<Price | null> {
  let price: Price | null = null
  let asking: Promise<void> | null = null
  async function ask(): Promise<void> {
    try {
      price = await ports.payments.price()
    } catch (error) {
      logFailure(ports, error, 'task.failed', { task: 'price' })
    } finally {
      asking = null
    }
  }

  return async () => {
    if (price) return price
    asking ??= ask()
    await Promise.race([asking, new Promise<void>((resolve) => setImmediate(resolve))])
    return price
  }
}
