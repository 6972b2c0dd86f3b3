import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type Incoming = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether it is the answer to its idempotency key, although it is a refusal. */
  readonly isExecuted?: true
}

/** No answer at all: the connection is cut. */
export const CLOSED = 'closed'

export type Reply = (Answer & { readonly truncated?: true }) | typeof CLOSED

/** A plain HTTP server on a free port of this machine. It can cut a connection, which Bun.serve does not do. */
export async function startServer(
  answer: (request: Incoming) => Promise<Reply>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    try {
      send(response, await answer(await receive(request)))
    } catch (error) {
      send(response, { status: 500, headers: {}, body: `the double failed: ${error}` })
    }
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise

  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}

async function receive(request: IncomingMessage): Promise<Incoming> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value)
  return {
    method: request.method ?? 'GET',
    path: pathname,
    query: search.slice(1),
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === CLOSED) {
    response.socket?.destroy()
    return
  }
  const { status, headers, body } = reply
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  if (reply.truncated) {
    response.write(body.slice(0, body.length / 2), () => response.socket?.destroy())
  } else {
    response.end(body)
  }
}
