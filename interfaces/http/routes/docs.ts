import { Elysia } from 'elysia'
import { onFirstUse } from '../../../application/first-use.ts'
import { READ_OPENAPI, SHOW_REFERENCE } from '../openapi/docs.ts'
import { docsPage } from '../pages/docs/page.ts'
import { pageHeaders, renderPage } from '../pages/page.ts'
import { type StaticAnswer, staticAnswer } from '../pages/static-answer.ts'
import { ROUTES } from '../paths.ts'

const CACHE_CONTROL = 'public, no-cache'

/** The API's reference: the OpenAPI document, and the page that people read, which is made from it. */
export function docsRoutes(openApiDocument: () => unknown): Elysia {
  // Made once, and only on the first request for it: a start has no use for it.
  const document = onFirstUse(openApiDocument)
  const data = onFirstUse(() => dataAnswer(document()))
  const page = onFirstUse(() => pageAnswer(document()))

  const routes = new Elysia()
  routes.get(ROUTES.showReference.path, ({ request }) => page().answer(request), {
    detail: SHOW_REFERENCE,
  })
  routes.get(ROUTES.readOpenApi.path, ({ request }) => data().answer(request), {
    detail: READ_OPENAPI,
  })
  return routes
}

function dataAnswer(openApiDocument: unknown): StaticAnswer {
  return staticAnswer(JSON.stringify(openApiDocument), {
    'content-type': 'application/json',
    'cache-control': CACHE_CONTROL,
  })
}

function pageAnswer(openApiDocument: unknown): StaticAnswer {
  const page = docsPage(openApiDocument)
  return staticAnswer(renderPage(page), { ...pageHeaders(page), 'cache-control': CACHE_CONTROL })
}
