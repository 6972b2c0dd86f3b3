import { t } from 'elysia'
import { describeOperation, ENDPOINTS } from './endpoints.ts'
import { describeAnswers } from './responses.ts'

const ENDPOINT_GROUP = t.Record(t.String({ pattern: '^(?:GET|POST) /' }), t.String())

export const READ_STATUS = describeOperation('readStatus', {
  tags: ['status'],
  responses: describeAnswers(
    {
      schema: t.Object({
        name: t.Literal('Alibi'),
        version: t.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+' }),
        status: t.Literal('running'),
        endpoints: t.Object({
          auth: ENDPOINT_GROUP,
          checkout: ENDPOINT_GROUP,
          premium: ENDPOINT_GROUP,
          payment: ENDPOINT_GROUP,
          webhook: ENDPOINT_GROUP,
        }),
      }),
      example: { name: 'Alibi', version: '1.0.0', status: 'running', endpoints: ENDPOINTS },
    },
    [],
  ),
})

export const CHECK_HEALTH = describeOperation('checkHealth', {
  tags: ['status'],
  responses: describeAnswers(
    { schema: t.Object({ status: t.Literal('alive') }), example: { status: 'alive' } },
    [],
  ),
})

export const CHECK_READINESS = describeOperation('checkReadiness', {
  tags: ['status'],
  responses: describeAnswers(
    { schema: t.Object({ status: t.Literal('ready') }), example: { status: 'ready' } },
    [],
  ),
})
