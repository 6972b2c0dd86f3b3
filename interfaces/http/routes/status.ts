import { Elysia, t } from 'elysia'
import { ENDPOINTS } from '../openapi/endpoints.ts'
import { describeAnswers } from '../openapi/responses.ts'
import type { HttpOptions } from '../request/options.ts'
import { answerResponse, TEMPORARILY_UNAVAILABLE } from '../response/errors.ts'

export function statusRoutes({ isReady, version, stopping }: HttpOptions) {
  return new Elysia()
    .get('/', () => ({ name: 'Alibi', version, status: 'running', endpoints: ENDPOINTS }), {
      detail: STATUS_DETAIL,
    })
    .get('/health', () => ({ status: 'alive' }), { detail: HEALTH_DETAIL })
    .get(
      '/ready',
      async () => {
        const isOpen = !stopping.aborted && (await isReady())
        return isOpen ? { status: 'ready' } : answerResponse(TEMPORARILY_UNAVAILABLE)
      },
      { detail: READY_DETAIL },
    )
}

const ENDPOINT_GROUP = t.Record(t.String({ pattern: '^(?:GET|POST) /' }), t.String())

const STATUS_DETAIL = {
  operationId: 'readStatus',
  summary: 'Service status',
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
}

const HEALTH_DETAIL = {
  operationId: 'checkHealth',
  summary: 'Whether the process answers',
  tags: ['status'],
  responses: describeAnswers(
    { schema: t.Object({ status: t.Literal('alive') }), example: { status: 'alive' } },
    [],
  ),
}

const READY_DETAIL = {
  operationId: 'checkReadiness',
  summary: 'Whether it should get visitors: the database takes commits, and it is not stopping',
  tags: ['status'],
  responses: describeAnswers(
    { schema: t.Object({ status: t.Literal('ready') }), example: { status: 'ready' } },
    [],
  ),
}
