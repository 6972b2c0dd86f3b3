import { type Answer, answerResponse, FAULT_ANSWER, TEMPORARILY_UNAVAILABLE } from './errors.ts'
import type { Handler } from './handler.ts'
import { newRequestId, REQUEST_ID } from './request-id.ts'
import { guardAnswer } from './security-headers.ts'

export type Listener = {
  /** With the port that was picked when 0 was asked for. */
  readonly url: string
  readonly port: number
  /** Who answers from now on. Until then every answer is 503. */
  use(handler: Handler): void
  /** Takes no new connections and resolves once every answer under way has been sent. */
  stop(): Promise<void>
}

/** The whole receipt of a request and every answer has to fit in: providers are given 10 seconds at most a call. */
const IDLE_TIMEOUT_SECONDS = 45

/** Only a backstop, because its answer is no JSON: the handler refuses long before. */
const REQUEST_BYTES_MAX = 8 * 1024 * 1024

/** Binds the address at once, so that a port in use is known before anything else is opened. */
export function listen({ host, port }: { host: string; port: number }): Listener {
  let handler: Handler = async () => bareAnswer(TEMPORARILY_UNAVAILABLE)

  const server = Bun.serve({
    hostname: host,
    port,
    // Left out, it lets a second process take half of the connections unnoticed.
    reusePort: false,
    development: false,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: REQUEST_BYTES_MAX,
    fetch: (request, self) => handler(request, self.requestIP(request)?.address ?? null),
    error: () => bareAnswer(FAULT_ANSWER),
  })

  return {
    url: server.url.origin,
    port: server.port ?? port,
    use(next) {
      handler = next
    },
    stop: () => server.stop(),
  }
}

/** What is said while there is no handler, or when the handler itself fails. */
function bareAnswer(answer: Answer): Response {
  const response = answerResponse(answer)
  response.headers.set(REQUEST_ID, newRequestId())
  guardAnswer(response.headers, { isHttps: false })
  return response
}
