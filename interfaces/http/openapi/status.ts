import { t } from 'elysia'
import { ENDPOINTS } from './endpoints.ts'
import { dictionary } from './fields.ts'
import { headerReferences } from './headers.ts'
import { describeAnswers } from './responses.ts'

/** By method and path. */
const ENDPOINT_GROUP = dictionary(t.String())

export const STATUS = {
  readStatus: {
    description:
      'Names the version, and every endpoint with what it is for. Who prefers text/html to application/json is sent to the page for people.',
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
  },
  checkHealth: {
    description:
      'Asks neither the database nor a provider: a process that does not answer wants a restart.',
    responses: describeAnswers(
      { schema: t.Object({ status: t.Literal('alive') }), example: { status: 'alive' } },
      [],
    ),
  },
  checkReadiness: {
    description: 'For a load balancer: one that is not ready answers 503, and is asked again.',
    responses: describeAnswers(
      { schema: t.Object({ status: t.Literal('ready') }), example: { status: 'ready' } },
      [],
    ),
  },
}
