import { Elysia } from 'elysia'
import { ENDPOINTS } from '../openapi/endpoints.ts'
import { CHECK_HEALTH, CHECK_READINESS, READ_STATUS } from '../openapi/status.ts'
import { ROUTES } from '../paths.ts'
import type { HttpOptions } from '../request/options.ts'
import { answerResponse, TEMPORARILY_UNAVAILABLE } from '../response/errors.ts'

export function statusRoutes({ isReady, version, stopping }: HttpOptions) {
  return new Elysia()
    .get(
      ROUTES.readStatus.path,
      () => ({ name: 'Alibi', version, status: 'running', endpoints: ENDPOINTS }),
      {
        detail: READ_STATUS,
      },
    )
    .get(ROUTES.checkHealth.path, () => ({ status: 'alive' }), { detail: CHECK_HEALTH })
    .get(
      ROUTES.checkReadiness.path,
      async () => {
        const isOpen = !stopping.aborted && (await isReady())
        return isOpen ? { status: 'ready' } : answerResponse(TEMPORARILY_UNAVAILABLE)
      },
      { detail: CHECK_READINESS },
    )
}
