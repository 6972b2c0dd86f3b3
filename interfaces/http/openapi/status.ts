import { t } from 'elysia'
import { describeOperation, ENDPOINTS } from './endpoints.ts'
import { dictionary } from './fields.ts'
import { headerReferences } from './headers.ts'
import { describeAnswers } from './responses.ts'

/** By method and path. */
const ENDPOINT_GROUP = dictionary(t.String())

export const READ_STATUS = describeOperation('readStatus', {
  description:
    'Names the version, and every endpoint with what it is for. Who prefers text/html to application/json is sent to the page for people.',
  tags: ['status'],
  responses: {
    303: { description: 'For browsers', headers: headerReferences(['Location']) },
    ...describeAnswers(
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
  },
})

export const CHECK_HEALTH = describeOperation('checkHealth', {
  description:
    'Asks neither the database nor a provider: a process that does not answer wants a restart.',
  tags: ['status'],
  responses: describeAnswers(
    { schema: t.Object({ status: t.Literal('alive') }), example: { status: 'alive' } },
    [],
  ),
})

export const CHECK_READINESS = describeOperation('checkReadiness', {
  description: 'For a load balancer: one that is not ready answers 503, and is asked again.',
  tags: ['status'],
  responses: describeAnswers(
    { schema: t.Object({ status: t.Literal('ready') }), example: { status: 'ready' } },
    [],
  ),
})
