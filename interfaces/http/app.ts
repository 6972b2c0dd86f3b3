import { Elysia } from 'elysia'
import { describeApi } from './openapi/document.ts'
import type { WithErrors } from './openapi/typed-errors.ts'
import { wordFiles } from './pages/page-words.ts'
import type { HttpOptions } from './request/options.ts'
import { requestIdOf } from './request/request-id.ts'
import { answerError, answerResponse } from './response/errors.ts'
import { appPageRoutes } from './routes/app-page.ts'
import { assetRoutes } from './routes/assets.ts'
import { authRoutes } from './routes/auth.ts'
import { checkoutRoutes } from './routes/checkout.ts'
import { docsRoutes } from './routes/docs.ts'
import { paymentPageRoutes } from './routes/payment-pages.ts'
import { premiumRoutes } from './routes/premium.ts'
import { sandboxRoutes } from './routes/sandbox.ts'
import { statusRoutes } from './routes/status.ts'
import { webhookRoutes } from './routes/webhook.ts'

/** What the API takes and answers, for typed clients. */
export type Alibi = WithErrors<ReturnType<typeof createApp>>

/** Every route and what it answers. handler.ts adds what all answers have in common. */
export function createApp(options: HttpOptions) {
  const app = new Elysia({ strictPath: true })
  return app
    .onError(({ error, request }) =>
      answerResponse(answerError(options.ports, error, requestIdOf(request))),
    )
    .use(statusRoutes(options))
    .use(authRoutes(options))
    .use(checkoutRoutes(options))
    .use(premiumRoutes(options))
    .use(webhookRoutes(options))
    .use(pageRoutes(options, () => describeApi(app, options.version)))
}

/** Everything that people look at. */
export function pageRoutes(options: HttpOptions, openApiDocument: () => unknown): Elysia {
  const files = wordFiles(options.ports.content)
  const routes = new Elysia()
  routes
    .use(paymentPageRoutes(options))
    .use(sandboxRoutes(options.sandbox))
    .use(appPageRoutes(options, files))
    .use(docsRoutes(openApiDocument))
    .use(assetRoutes(files))
  return routes
}
