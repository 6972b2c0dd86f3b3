import { connect, type Socket } from 'node:net'

/** How far a request got. Only `cut` has lost something: the answer had begun. */
export type Exchange =
  | { readonly outcome: 'answered'; readonly status: number; readonly closes: boolean }
  /** No process listens. */
  | { readonly outcome: 'refused' }
  /** The connection ended before a byte of the answer came. */
  | { readonly outcome: 'unanswered' }
  | { readonly outcome: 'cut' }

export type RawConnection = Awaited<ReturnType<typeof openRaw>>

/** A request as it goes over the wire. */
export function rawRequest(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
): string {
  const all: Record<string, string> = { Host: 'alibi.example', ...headers }
  if (body !== undefined) all['Content-Length'] = String(Buffer.byteLength(body))
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/** A connection on which one request at a time is sent, and which knows a whole answer from a part of one. */
export async function openRaw(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  let hasEnded = !isOpen
  let ended = () => {}
  socket.on('error', () => {})
  socket.once('close', () => {
    hasEnded = true
    ended()
  })

  return {
    socket,
    isOpen: () => !hasEnded && socket.writable,
    close: () => void socket.destroy(),
    exchange(request: string): Promise<Exchange> {
      if (!isOpen) return Promise.resolve({ outcome: 'refused' })
      if (hasEnded) return Promise.resolve({ outcome: 'unanswered' })
      const answer = readAnswer(socket, (end) => {
        ended = end
      })
      socket.write(request)
      return answer
    },
  }
}

function readAnswer(socket: Socket, onEnd: (end: () => void) => void): Promise<Exchange> {
  let received = Buffer.alloc(0)
  return new Promise((resolve) => {
    function finish(exchange: Exchange) {
      socket.off('data', take)
      resolve(exchange)
    }
    function take(chunk: Buffer) {
      received = Buffer.concat([received, chunk])
      const answer = wholeAnswer(received)
      if (answer) finish(answer)
    }
    socket.on('data', take)
    onEnd(() => finish({ outcome: received.length === 0 ? 'unanswered' : 'cut' }))
  })
}

function wholeAnswer(received: Buffer): Exchange | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = received.subarray(0, headEnd).toString('latin1').toLowerCase()
  const [, length = '0'] = /\r\ncontent-length: ([0-9]+)/.exec(head) ?? []
  if (received.length < headEnd + 4 + Number(length)) return null
  return {
    outcome: 'answered',
    status: Number(head.slice(9, 12)),
    closes: head.includes('\r\nconnection: close'),
  }
}
