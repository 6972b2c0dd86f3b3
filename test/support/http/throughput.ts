const CONNECTIONS = 16
const HEAD_LENGTH_MAX = 4096

/** Answers a second, over connections that are kept open and ask again as soon as they are answered. */
export async function throughput(
  url: string,
  path: string,
  {
    headers = {},
    seconds = 3,
  }: { headers?: Readonly<Record<string, string>>; seconds?: number } = {},
): Promise<number> {
  const { hostname, port } = new URL(url)
  const fields = Object.entries({ Host: 'localhost', ...headers })
  const lines = [`GET ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  const request = `${lines.join('\r\n')}\r\n\r\n`
  let answers = 0
  let status = ''
  const ask = () =>
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(request),
        data(socket, chunk) {
          // An answer begins with its whole head.
          if (socket.data.missing === 0) {
            const head = chunk.toString('latin1', 0, HEAD_LENGTH_MAX).split('\r\n\r\n', 1)[0] ?? ''
            status ||= head.slice(0, 12)
            const length = Number(/^content-length: (\d+)/im.exec(head)?.[1])
            socket.data.missing = head.length + 4 + length
          }
          socket.data.missing -= chunk.length
          if (socket.data.missing !== 0) return
          answers++
          socket.write(request)
        },
      },
      data: { missing: 0 },
    })
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  await Bun.sleep(500)
  answers = 0
  await Bun.sleep(seconds * 1000)
  const perSecond = answers / seconds
  for (const socket of sockets) socket.terminate()
  if (status !== 'HTTP/1.1 200') throw new Error(`${path} answered ${status}`)
  return perSecond
}

/** A port on which no process listens at this moment. */
export async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop()
  return port
}

export async function untilReady(url: string): Promise<void> {
  for (;;) {
    try {
      if ((await fetch(`${url}/ready`)).ok) return
    } catch {
      await Bun.sleep(20)
    }
  }
}
