import type { Elysia } from 'elysia'
import { logFailure } from '../../../application/error-report.ts'
import { onFirstUse } from '../../../application/first-use.ts'
import type { LanguageContent, Ports } from '../../../application/ports.ts'
import type { Price } from '../../../domain/order.ts'
import { type AppAddresses, appAddresses } from '../pages/app/addresses.ts'
import { robotsText, sitemapText } from '../pages/app/crawler-files.ts'
import { appPage } from '../pages/app/page.ts'
import { ERROR_MESSAGES } from '../pages/error-messages.ts'
import { pageHeaders, renderPage } from '../pages/page.ts'
import { pageWords, type WordFiles } from '../pages/page-words.ts'
import { type StaticAnswer, staticAnswer } from '../pages/static-answer.ts'
import { ROUTES } from '../paths.ts'
import type { HttpOptions } from '../request/options.ts'
import { RequestRefused } from '../request/refusal.ts'
import { pageContent, queryOf } from './page-language.ts'

/** Adds the page on which a person does the whole flow, made once for each address, and what search engines read. */
export function addAppPage(routes: Elysia, options: HttpOptions, files: WordFiles): void {
  const { ports, publicUrl } = options
  const knownPrice = priceReader(ports)
  const addresses = appAddresses(publicUrl, ports.content.languages)
  const pages = new Map<string, StaticAnswer>()
  function pageIn(content: LanguageContent, address: string, price: Price | null): StaticAnswer {
    const key = `${content.language} ${address} ${price?.currency} ${price?.amount}`
    return pages.getOrInsertComputed(key, () =>
      makePage(options, files, { content, addresses, address, price }),
    )
  }

  routes.get(ROUTES.showApp.path, async ({ request }) => {
    const { headers } = request
    const query = queryOf(request)
    const content = pageContent(ports.content, { headers, query })
    // Of the query, only the language is part of the page's own address.
    const named = query.has('lang') ? addresses.byLanguage.get(content.language) : undefined
    return pageIn(content, named ?? addresses.negotiated, await knownPrice()).answer(request)
  })
  addCrawlerFiles(routes, options, addresses)
}

function addCrawlerFiles(
  routes: Elysia,
  { publicUrl, isIndexed }: HttpOptions,
  addresses: AppAddresses,
): void {
  const robots = onFirstUse(() => {
    const sitemap = isIndexed ? publicUrl + ROUTES.readSitemap.path : null
    return staticAnswer(robotsText({ sitemap }), {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, no-cache',
    })
  })
  const sitemap = onFirstUse(() =>
    staticAnswer(sitemapText(addresses), {
      // As good as application/xml (RFC 7303, section 9.2), and read by more generators of clients.
      'content-type': 'text/xml; charset=utf-8',
      'cache-control': 'public, no-cache',
    }),
  )
  routes.get(ROUTES.readRobots.path, ({ request }) => robots().answer(request))
  routes.get(ROUTES.readSitemap.path, ({ request }) => {
    if (!isIndexed) throw new RequestRefused('endpoint_not_found')
    return sitemap().answer(request)
  })
}

type PageParts = {
  readonly content: LanguageContent
  readonly addresses: AppAddresses
  readonly address: string
  readonly price: Price | null
}

function makePage(
  { ports, publicUrl, isIndexed }: HttpOptions,
  files: WordFiles,
  { content, addresses, address, price }: PageParts,
): StaticAnswer {
  const { languages } = ports.content
  const { rules } = ports
  const page = appPage({
    content,
    languages,
    publicUrl,
    addresses,
    address,
    isIndexed,
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
