import { Elysia } from 'elysia'
import { wordFiles } from './pages/page-words.ts'
import type { HttpOptions } from './request/options.ts'
import { appPageRoutes } from './routes/app-page.ts'
import { assetRoutes } from './routes/assets.ts'
import { docsRoutes } from './routes/docs.ts'
import { paymentPageRoutes } from './routes/payment-pages.ts'
import { sandboxRoutes } from './routes/sandbox.ts'

/** Everything that people look at. */
export function pageRoutes(options: HttpOptions, openApiDocument: () => Promise<unknown>): Elysia {
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
