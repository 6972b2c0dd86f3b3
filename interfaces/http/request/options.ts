import type { Ports, RateLimiter, SandboxDesk } from '../../../application/ports.ts'
import type { Readiness } from '../../../application/upkeep/watch-readiness.ts'
import type { RateLimitPolicy } from '../paths.ts'

/** All that the HTTP side is told when it is put together. */
export type HttpOptions = {
  readonly ports: Ports
  /** Null unless the sandbox provider is in use. */
  readonly sandbox: SandboxDesk | null
  /** Null where a limit is switched off. */
  readonly limiters: Readonly<Record<RateLimitPolicy, RateLimiter | null>>
  /** Whether answers carry the code itself as `devCode`. */
  readonly development: boolean
  readonly version: string
  /** Whether PUBLIC_URL is https, so that browsers may be told to insist on it. */
  readonly isHttps: boolean
  /** Origins that may read answers, or everyone. */
  readonly corsOrigins: '*' | readonly string[]
  /** Addresses and CIDR blocks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** Milliseconds that pass evenly, whatever is done to the clock. */
  readonly monotonicMs: () => number
  /** What /ready asks. */
  readonly isReady: Readiness
  /** Aborted once the service is on its way out and should get no new visitors. */
  readonly stopping: AbortSignal
}
