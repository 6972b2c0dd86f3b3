import type { Elysia } from 'elysia'
import { onceAsked } from '../../../application/first-use.ts'
import { pageHeaders, renderPage } from '../pages/page.ts'
import { type StaticAnswer, staticAnswer } from '../pages/static-answer.ts'
import { ROUTES } from '../paths.ts'

const CACHE_CONTROL = 'public, no-cache'

/** Adds the API's reference: the OpenAPI document, and the page that people read, which is made from it. */
export function addDocs(routes: Elysia, openApiDocument: () => unknown): void {
  // Made once, and only on the first request for it: a start has no use for it.
  const document = onceAsked(async () => openApiDocument())
  const data = onceAsked(async () => dataAnswer(await document()))
  const page = onceAsked(async () => pageAnswer(await document()))

  routes.get(ROUTES.showReference.path, async ({ request }) => (await page()).answer(request))
  routes.get(ROUTES.readOpenApi.path, async ({ request }) => (await data()).answer(request))
}

function dataAnswer(openApiDocument: unknown): StaticAnswer {
  return staticAnswer(JSON.stringify(openApiDocument), {
    'content-type': 'application/json',
    'cache-control': CACHE_CONTROL,
  })
}

async function pageAnswer(openApiDocument: unknown): Promise<StaticAnswer> {
  const { docsPage } = await import('../pages/docs/page.ts')
  const page = docsPage(openApiDocument)
  return staticAnswer(renderPage(page), { ...pageHeaders(page), 'cache-control': CACHE_CONTROL })
}
