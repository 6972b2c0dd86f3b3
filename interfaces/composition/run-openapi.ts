import type { RateLimiter } from '../../application/ports.ts'
import { type Environment, loadConfig } from '../../infrastructure/config/config.ts'
import type { RateLimit } from '../../infrastructure/config/durations.ts'
import { builtInContent } from '../../infrastructure/content/content.ts'
import { openSqliteStore } from '../../infrastructure/sqlite/store.ts'
import { systemClock } from '../../infrastructure/system-clock.ts'
import { createApp } from '../http/app.ts'
import type { HttpOptions } from '../http/request/options.ts'
import { composeHttp, composePorts } from './compose-service.ts'

/** Puts the service together as development does, in memory, and asks it for its description. */
export async function describeApi(
  environment: Environment,
  { version }: { version: string },
): Promise<object> {
  const config = loadConfig({
    ...environment,
    env: { APP_ENV: 'development', JWT_SECRET: crypto.randomUUID() },
  })
  const store = openSqliteStore(':memory:')
  const log = () => {}
  const url = 'http://localhost'
  const content = builtInContent()
  const clock = systemClock()
  const limiter = (_: unknown, limit: RateLimit) => unlimited(limit)
  const parts = { config, store, clock, log, content, url, publicUrl: url, limiter, write() {} }
  const { ports, sandboxCheckout } = await composePorts(parts)
  const stopping = new AbortController().signal
  const options = composeHttp(parts, { ports, sandboxCheckout, version, stopping })
  // Whoever prints it may serve it anywhere: the address is the one that the document is read from.
  return openApiDocument({ ...options, publicUrl: '/' })
}

/** It describes the limits, and applies none. */
function unlimited({ limit, windowMs }: RateLimit): RateLimiter {
  const verdict = { accepted: true, remaining: limit, resetMs: windowMs, width: 'client' } as const
  return { limit, windowMs, take: async () => verdict }
}

/** The document that GET /openapi.json answers, without a server. */
export async function openApiDocument(options: HttpOptions): Promise<object> {
  const response = await createApp(options).handle(new Request('http://localhost/openapi.json'))
  return (await response.json()) as object
}
