import { Elysia } from 'elysia'
import { ENDPOINTS } from '../openapi/endpoints.ts'
import { ROUTES } from '../paths.ts'
import type { HttpOptions } from '../request/options.ts'
import { answerResponse, TEMPORARILY_UNAVAILABLE } from '../response/errors.ts'
import { ALIVE } from './from-memory.ts'

export function statusRoutes({ isReady, version, stopping }: HttpOptions) {
  return new Elysia()
    .get(ROUTES.readStatus.path, () => ({
      name: 'Alibi',
      version,
      status: 'running',
      endpoints: ENDPOINTS,
    }))
    .get(ROUTES.checkHealth.path, () => ALIVE)
    .get(ROUTES.checkReadiness.path, async () => {
      const isOpen = !stopping.aborted && (await isReady())
      return isOpen ? { status: 'ready' } : answerResponse(TEMPORARILY_UNAVAILABLE)
    })
}
