import type { Handler } from './handler.ts'
import { ROUTES } from './paths.ts'
import { BODY_GRACE_MS } from './request/body/body.ts'
import { newRequestId, REQUEST_ID } from './request/exchange.ts'
import { SEGMENTS_MAX, type SentSegments } from './request/target.ts'
import {
  type Answer,
  answerResponse,
  FAULT_ANSWER,
  TEMPORARILY_UNAVAILABLE,
} from './response/errors.ts'
import { securityHeaders } from './response/security-headers.ts'

export type Listener = {
  /** With the port that was picked when 0 was asked for. */
  readonly url: string
  readonly port: number
  /** Sets the handler of all further requests. Until then every answer is 503. */
  use(handler: Handler): void
  /**
   * Goes on answering, and has every answer end its connection, so that clients come back elsewhere. Resolves as soon
   * as no request comes any more, after half a second at most.
   */
  drain(): Promise<void>
  /**
   * Comes after `drain`. Takes no new connections and resolves once every answer under way has been sent. A client
   * that has sent but a part of a request has two seconds to send the rest.
   */
  stop(): Promise<void>
}

/** Receiving a request, and answering it, each have to fit in. A call to a provider takes 10 seconds at most. */
const IDLE_TIMEOUT_SECONDS = 45

/** Only a backstop, because its answer is no JSON: the handler refuses long before. */
const REQUEST_BYTES_MAX = 8 * 1024 * 1024

/** This long without a request: a client in the middle of something asks again sooner. */
const IDLE_MS = 50
const DRAIN_MAX_MS = 500

const LOOK_EVERY_MS = 20

// Why: docs/decisions.md#the-service-binds-its-port-itself
/** Binds the address at once, so that a port in use is known before anything else is opened. */
export function listen({ host, port }: { host: string; port: number }): Listener {
  let handler: Handler = () => bareAnswer(TEMPORARILY_UNAVAILABLE)
  let isDraining = false
  let asked = 0

  function answer(
    request: Request,
    self: Pick<Bun.Server<unknown>, 'requestIP'>,
    sent?: SentSegments,
  ): Response | Promise<Response> {
    asked++
    const peerAddress = () => self.requestIP(request)?.address ?? null
    const answered = handler(request, peerAddress, sent)
    return answered instanceof Promise ? answered.then(ending) : ending(answered)
  }

  function ending(response: Response): Response {
    if (isDraining) response.headers.set('Connection', 'close')
    return response
  }

  const server = Bun.serve({
    hostname: host,
    port,
    // Left out, it lets a second process take half of the connections unnoticed.
    reusePort: false,
    development: false,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    maxRequestBodySize: REQUEST_BYTES_MAX,
    routes: {
      ...routesBySegments((request, self) => answer(request, self, Object.values(request.params))),
      ...routesByPath((request, self) => answer(request, self)),
    },
    fetch: (request, self) => answer(request, self, null),
    error: () => bareAnswer(FAULT_ANSWER),
  })

  return {
    url: server.url.origin,
    port: server.port ?? port,
    use(next) {
      handler = next
    },
    async drain() {
      isDraining = true
      for (let waitedMs = 0; waitedMs < DRAIN_MAX_MS; waitedMs += IDLE_MS) {
        const before = asked
        await pause(IDLE_MS)
        if (asked === before) return
      }
    },
    async stop() {
      // Waits for a client that has sent even one byte of a request, for as long as a connection may idle.
      const stopped = server.stop()
      await Promise.race([stopped, pause(BODY_GRACE_MS)])
      // An answer counts as pending until its last byte is on its way.
      while (server.pendingRequests > 0) await Promise.race([stopped, pause(LOOK_EVERY_MS)])
      await server.stop(true)
    },
  }
}

type Answerer = (
  request: Request & { readonly params: Readonly<Record<string, string>> },
  self: Pick<Bun.Server<unknown>, 'requestIP'>,
) => Response | Promise<Response>

/** Bun compares a path without parameters byte for byte with what was sent, so there is nothing to resolve in it. */
function routesByPath(answer: Answerer): Record<string, Answerer> {
  return Object.fromEntries(Object.values(ROUTES).map(({ path }) => [path, answer]))
}

/**
 * A route for each number of segments up to `SEGMENTS_MAX`. Bun resolves the dots and backslashes of a request's URL,
 * but not those in the parameters of its routes.
 */
function routesBySegments(answer: Answerer): Record<string, Answerer> {
  const names = Array.from({ length: SEGMENTS_MAX }, (_, index) => `/:s${index}`)
  const paths = ['/', ...names.map((_, index) => names.slice(0, index + 1).join(''))]
  return Object.fromEntries(paths.map((path) => [path, answer]))
}

/** Does not keep the process alive: the connections do that, for as long as there are any. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

/** The answer while there is no handler, or when the handler itself fails. */
function bareAnswer(answer: Answer): Response {
  const response = answerResponse(answer)
  response.headers.set(REQUEST_ID, newRequestId())
  for (const [name, value] of Object.entries(securityHeaders({ isHttps: false }))) {
    response.headers.set(name, value)
  }
  return response
}
