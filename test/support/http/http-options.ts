import type { Ports } from '../../../application/ports.ts'
import { watchReadiness } from '../../../application/upkeep/watch-readiness.ts'
import type { HttpOptions } from '../../../interfaces/http/request/options.ts'

/** The HTTP side as production has it, but without limits. */
export function unlimitedOptions(ports: Ports): HttpOptions {
  return {
    ports,
    sandbox: null,
    limiters: { general: null, auth: null, premium: null },
    development: false,
    version: '1.0.0',
    publicUrl: 'https://alibi.example',
    isIndexed: true,
    isHttps: false,
    corsOrigins: '*',
    isTrustedProxy: () => false,
    isReady: watchReadiness(ports, { monotonicMs: () => ports.clock.now().getTime() }),
    monotonicMs: () => ports.clock.now().getTime(),
    stopping: new AbortController().signal,
  }
}
