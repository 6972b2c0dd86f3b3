import { t } from 'elysia'
import { dictionary, IF_NONE_MATCH } from './fields.ts'
import { describeLastingPage, describeLastingText } from './pages.ts'

export const REFERENCE = {
  showReference: {
    description: 'Made from /openapi.json. Each request can be tried on the page.',
    parameters: [IF_NONE_MATCH],
    responses: describeLastingPage('The reference'),
  },
  readOpenApi: {
    description: 'Its server is the public address of the service.',
    parameters: [IF_NONE_MATCH],
    responses: describeLastingText({
      description: 'The document',
      content: {
        'application/json': {
          schema: t.Object({
            openapi: t.String({ pattern: '^3\\.1\\.' }),
            info: t.Object({ title: t.String(), version: t.String(), description: t.String() }),
            servers: t.Array(t.Object({ url: t.String({ minLength: 1 }) })),
            tags: t.Array(t.Object({ name: t.String(), description: t.String() })),
            paths: dictionary(dictionary(t.Unknown())),
            components: dictionary(dictionary(t.Unknown())),
          }),
          example: {
            openapi: '3.1.0',
            info: { title: 'Alibi', version: '1.0.0', description: 'What it does.' },
            servers: [{ url: 'https://alibi.example' }],
            tags: [],
            paths: {},
            components: {},
          },
        },
      },
    }),
  },
}
