import { Elysia } from 'elysia'
import { appPageRoutes } from './app-page-routes.ts'
import { assetRoutes } from './asset-routes.ts'
import { docsRoutes } from './docs-routes.ts'
import type { HttpOptions } from './options.ts'
import { wordFiles } from './pages/page-words.ts'
import { paymentPageRoutes } from './payment-page-routes.ts'
import { sandboxRoutes } from './sandbox-routes.ts'

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
