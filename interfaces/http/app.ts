import { Elysia } from 'elysia'
import { describeApi } from './api-description.ts'
import { authRoutes } from './auth-routes.ts'
import { checkoutRoutes } from './checkout-routes.ts'
import { answerError, answerResponse } from './errors.ts'
import type { HttpOptions } from './options.ts'
import { pageRoutes } from './page-routes.ts'
import { premiumRoutes } from './premium-routes.ts'
import { requestIdOf } from './request-id.ts'
import { statusRoutes } from './status-routes.ts'
import { tokenRoutes } from './token-routes.ts'
import type { WithErrors } from './typed-errors.ts'
import { webhookRoutes } from './webhook-routes.ts'

/** What the API takes and answers, for typed clients. */
export type Alibi = WithErrors<ReturnType<typeof createApp>>

/** Every route and what it answers. What holds for all answers alike is the handler's; see handler.ts. */
export function createApp(options: HttpOptions) {
  const app = new Elysia({ strictPath: true })
  return app
    .onError(({ error, request }) =>
      answerResponse(answerError(options.ports, error, requestIdOf(request))),
    )
    .use(statusRoutes(options))
    .use(authRoutes(options))
    .use(tokenRoutes(options))
    .use(checkoutRoutes(options))
    .use(premiumRoutes(options))
    .use(webhookRoutes(options))
    .use(pageRoutes(options, async () => describeApi(app, options.version)))
}
