import { t } from 'elysia'
import { describeOperation } from './endpoints.ts'
import { IF_NONE_MATCH } from './fields.ts'
import { describeLastingPage, describeLastingText } from './pages.ts'

export const SHOW_REFERENCE = describeOperation('showReference', {
  tags: ['documentation'],
  parameters: [IF_NONE_MATCH],
  responses: describeLastingPage('The reference'),
})

export const READ_OPENAPI = describeOperation('readOpenApi', {
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
})
