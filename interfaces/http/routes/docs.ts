import { Elysia, t } from 'elysia'
import { remembered } from '../../../application/remembered.ts'
import { IF_NONE_MATCH } from '../openapi/fields.ts'
import { describeLastingPage, describeLastingText } from '../openapi/pages.ts'
import { docsPage } from '../pages/docs/page.ts'
import { pageHeaders, renderPage } from '../pages/page.ts'
import { type StaticAnswer, staticAnswer } from '../pages/static-answer.ts'

const CACHE_CONTROL = 'public, no-cache'

/** The API's reference: the OpenAPI document, and the page that people read, which is made from it. */
export function docsRoutes(openApiDocument: () => Promise<unknown>): Elysia {
  // Made once, and only when it is asked for: a start has no use for it.
  const document = remembered(openApiDocument)
  const data = remembered(async () =>
    staticAnswer(JSON.stringify(await document()), {
      'content-type': 'application/json',
      'cache-control': CACHE_CONTROL,
    }),
  )
  const page = remembered(async () => pageAnswer(await document()))

  const routes = new Elysia()
  routes.get('/docs', async ({ request }) => (await page()).answer(request), {
    detail: PAGE_DETAIL,
  })
  routes.get('/openapi.json', async ({ request }) => (await data()).answer(request), {
    detail: DOCUMENT_DETAIL,
  })
  return routes
}

function pageAnswer(openApiDocument: unknown): StaticAnswer {
  const page = docsPage(openApiDocument)
  return staticAnswer(renderPage(page), { ...pageHeaders(page), 'cache-control': CACHE_CONTROL })
}

const PAGE_DETAIL = {
  operationId: 'showReference',
  summary: 'This description, as a page',
  tags: ['documentation'],
  parameters: [IF_NONE_MATCH],
  responses: describeLastingPage('The reference'),
}

const DOCUMENT_DETAIL = {
  operationId: 'readOpenApi',
  summary: 'This description (OpenAPI 3.1)',
  tags: ['documentation'],
  parameters: [IF_NONE_MATCH],
  responses: describeLastingText({
    description: 'The document',
    content: {
      'application/json': {
        schema: t.Object({
          openapi: t.String({ pattern: '^3\\.1\\.' }),
          info: t.Object({ title: t.String(), version: t.String(), description: t.String() }),
          tags: t.Array(t.Object({ name: t.String(), description: t.String() })),
          paths: t.Record(t.String({ pattern: '^/' }), t.Record(t.String(), t.Unknown())),
          components: t.Record(t.String(), t.Record(t.String(), t.Unknown())),
        }),
        example: {
          openapi: '3.1.0',
          info: { title: 'Alibi', version: '1.0.0', description: 'What it does.' },
          tags: [],
          paths: {},
          components: {},
        },
      },
    },
  }),
}
