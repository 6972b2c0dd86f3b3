import { Elysia } from 'elysia'
import type { WithErrors } from './openapi/typed-errors.ts'
import { wordFiles } from './pages/page-words.ts'
import { exchangeOf } from './request/exchange.ts'
import type { HttpOptions } from './request/options.ts'
import { answerMaker } from './response/answer-maker.ts'
import { answerError } from './response/errors.ts'
import { ownError } from './response/router-errors.ts'
import { addAppPage } from './routes/app-page.ts'
import { addAssets } from './routes/assets.ts'
import { authRoutes } from './routes/auth.ts'
import { checkoutRoutes } from './routes/checkout.ts'
import { addDocs } from './routes/docs.ts'
import { addPaymentPages } from './routes/payment-pages.ts'
import { premiumRoutes } from './routes/premium.ts'
import { addSandboxPages } from './routes/sandbox.ts'
import { statusRoutes } from './routes/status.ts'
import { webhookRoutes } from './routes/webhook.ts'

/** What the API takes and answers, for typed clients. */
export type Alibi = WithErrors<ReturnType<typeof createApp>>

/** Every route and what it answers: data with all headers, pages with their own. handler.ts adds the rest. */
export function createApp(options: HttpOptions) {
  const answers = answerMaker(options)
  // The path begins where it begins, also behind a host of a few letters.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
  const describe = async () => {
    const { describeApi } = await import('./openapi/document.ts')
    const { version, publicUrl } = options
    return describeApi(app, { version, serverUrl: publicUrl, content: options.ports.content })
  }
  return app
    .onError(({ error, request, set }) => {
      // Elysia would copy an answer for whose error it has set a status, and its headers would be added twice.
      set.status = 200
      const exchange = exchangeOf(request)
      return answers.error(
        exchange,
        answerError(options.ports, ownError(error), exchange.requestId),
      )
    })
    .mapResponse(({ responseValue: value, request }) =>
      value instanceof Response ? value : answers.json(exchangeOf(request), value),
    )
    .use(statusRoutes(options))
    .use(authRoutes(options))
    .use(checkoutRoutes(options))
    .use(premiumRoutes(options))
    .use(webhookRoutes(options))
    .use(pageRoutes(options, describe))
}

/** Everything that people look at. */
export function pageRoutes(options: HttpOptions, openApiDocument: () => unknown): Elysia {
  const files = wordFiles(options.ports.content)
  const routes = new Elysia()
  addPaymentPages(routes, options)
  addSandboxPages(routes, options)
  addAppPage(routes, options, files)
  addDocs(routes, openApiDocument)
  addAssets(routes, files)
  return routes
}
