import type { Ports } from '../application/ports.ts'
import type { HttpOptions } from '../interfaces/http/options.ts'

/** The HTTP side as production has it, but without limits. */
export function unlimitedOptions(ports: Ports): HttpOptions {
  return {
    ports,
    sandbox: null,
    limiters: { general: null, auth: null, premium: null },
    development: false,
    version: '1.0.0',
    isHttps: false,
    corsOrigins: '*',
    trustedProxies: [],
    stopping: new AbortController().signal,
  }
}
