import { Elysia, t } from 'elysia'
import { describeAnswers } from './api-description.ts'
import { ENDPOINTS } from './endpoints.ts'
import { answerResponse, TEMPORARILY_UNAVAILABLE } from './errors.ts'
import type { HttpOptions } from './options.ts'

export function statusRoutes({ ports, version, stopping }: HttpOptions) {
  return new Elysia()
    .get('/', () => ({ name: 'Alibi', version, status: 'running', endpoints: ENDPOINTS }), {
      detail: {
        summary: 'Service status',
        tags: ['status'],
        responses: describeAnswers(
          t.Object({
            name: t.String(),
            version: t.String(),
            status: t.String(),
            endpoints: t.Record(t.String(), t.Record(t.String(), t.String())),
          }),
          ['too_many_requests'],
        ),
      },
    })
    .get('/health', () => ({ status: 'alive' }), {
      detail: {
        summary: 'Whether the process answers',
        tags: ['status'],
        responses: describeAnswers(t.Object({ status: t.String() }), []),
      },
    })
    .get(
      '/ready',
      async () => {
        if (stopping.aborted) return answerResponse(TEMPORARILY_UNAVAILABLE)
        await ports.databaseHealth.check()
        return { status: 'ready' }
      },
      {
        detail: {
          summary: 'Whether it should get visitors: the database answers, and it is not stopping',
          tags: ['status'],
          responses: describeAnswers(t.Object({ status: t.String() }), ['storage']),
        },
      },
    )
}
