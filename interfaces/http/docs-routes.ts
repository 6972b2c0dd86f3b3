import { Elysia } from 'elysia'
import { docsPage } from './pages/docs-page.ts'
import { pageHeaders, renderPage } from './pages/page.ts'
import { type StaticAnswer, staticAnswer } from './pages/static-answer.ts'

/** The API's reference for people, made from the OpenAPI document when first asked for. */
export function docsRoutes(openApiDocument: () => Promise<unknown>): Elysia {
  let remembered: StaticAnswer | null = null
  async function reference(): Promise<StaticAnswer> {
    if (!remembered) {
      const page = docsPage(await openApiDocument())
      const headers = { ...pageHeaders(page), 'cache-control': 'public, no-cache' }
      remembered = staticAnswer(renderPage(page), headers)
    }
    return remembered
  }

  const routes = new Elysia()
  routes.get('/docs', async ({ request }) => (await reference()).answer(request), {
    detail: { hide: true },
  })
  return routes
}
