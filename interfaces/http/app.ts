import { Elysia } from 'elysia'
import { describeApi } from './openapi/document.ts'
import type { WithErrors } from './openapi/typed-errors.ts'
import { pageRoutes } from './page-routes.ts'
import type { HttpOptions } from './request/options.ts'
import { requestIdOf } from './request/request-id.ts'
import { answerError, answerResponse } from './response/errors.ts'
import { authRoutes } from './routes/auth.ts'
import { checkoutRoutes } from './routes/checkout.ts'
import { premiumRoutes } from './routes/premium.ts'
import { statusRoutes } from './routes/status.ts'
import { tokenRoutes } from './routes/token.ts'
import { webhookRoutes } from './routes/webhook.ts'

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
