import type { Ports, RateLimiter } from '../../../application/ports.ts'
import type { SandboxCheckout } from '../../../application/sandbox-checkout.ts'
import type { Readiness } from '../../../application/upkeep/watch-readiness.ts'
import type { OwnBudget, RateLimitPolicy } from '../paths.ts'

/** All that the HTTP side needs from outside. */
export type HttpOptions = {
  readonly ports: Ports
  /** Null unless the sandbox provider is in use. */
  readonly sandbox: SandboxCheckout | null
  /** Null where a limit is switched off. */
  readonly limiters: Readonly<Record<RateLimitPolicy, RateLimiter | null>> & {
    /** For requests that count as auth: log-outs, and log-ins by a proof. Without one, auth counts them. */
    readonly [own in OwnBudget]?: RateLimiter | null
  }
  /** Whether answers carry the code itself as `devCode`. */
  readonly development: boolean
  readonly version: string
  /** The origin that users reach: PUBLIC_URL. */
  readonly publicUrl: string
  /** Whether search engines may list the app page. */
  readonly isIndexed: boolean
  /** Whether PUBLIC_URL is https, so that browsers may insist on it. */
  readonly isHttps: boolean
  /** Origins that may read answers; `*` is every origin. */
  readonly corsOrigins: '*' | readonly string[]
  /** Whether the X-Forwarded-For that comes from this address is believed. */
  readonly isTrustedProxy: (address: string) => boolean
  /** Milliseconds that pass evenly, even where the clock is set. */
  readonly monotonicMs: () => number
  /** The check behind /ready. */
  readonly isReady: Readiness
  /** Aborted once the service is on its way out and should get no new visitors. */
  readonly stopping: AbortSignal
}
