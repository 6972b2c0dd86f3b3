import { type AnyElysia, Elysia } from 'elysia'
import { describeApi } from './api-description.ts'
import { authRoutes } from './auth-routes.ts'
import { checkoutRoutes } from './checkout-routes.ts'
import { answerError, answerResponse } from './errors.ts'
import type { HttpOptions } from './options.ts'
import { pageRoutes } from './page-routes.ts'
import { premiumRoutes } from './premium-routes.ts'
import { requestIdOf } from './request-id.ts'
import { statusRoutes } from './status-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

/** Every route and what it answers. What holds for all answers alike is the handler's; see handler.ts. */
export function createApp(options: HttpOptions): AnyElysia {
  const app = new Elysia({ strictPath: true })
  let described: object | null = null
  // Made once, and only when it is asked for: a start has no use for it.
  async function openApiDocument(): Promise<object> {
    described ??= describeApi(app, options.version)
    return described
  }

  return app
    .onError(({ error, request }) =>
      answerResponse(answerError(options.ports, error, requestIdOf(request))),
    )
    .use(statusRoutes(options))
    .use(authRoutes(options))
    .use(checkoutRoutes(options))
    .use(premiumRoutes(options))
    .use(webhookRoutes(options))
    .use(pageRoutes(options, openApiDocument))
    .get('/openapi.json', () => openApiDocument(), { detail: { hide: true } })
}
