import { readFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'

/** Every other one, since a test holds the port above as its claim. */
const PORTS = portsOutside(outgoingPorts())

/**
 * A port on which no process listens, which the system gives to no outgoing connection, and which no other test gets
 * until this one's process ends: so it stays free while its server has not started yet, or is stopped.
 */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = PORTS[Math.floor(Math.random() * PORTS.length)]!
    const claim = await listening(port + 1)
    const server = claim && (await listening(port))
    if (server) {
      claim.unref()
      await closed(server)
      return port
    }
    claim?.close()
  }
}

function portsOutside([first, last]: readonly [number, number]): readonly number[] {
  const all = Array.from({ length: 27_000 }, (_, index) => 10_000 + 2 * index)
  const outside = all.filter((port) => port + 1 < first || port > last)
  return outside.length > 0 ? outside : all
}

/** As Linux is set, or else as IANA has it. */
function outgoingPorts(): readonly [number, number] {
  try {
    const text = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    const [first, last] = text.trim().split(/\s+/).map(Number)
    return [first!, last!]
  } catch {
    return [49_152, 65_535]
  }
}

function listening(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(null))
      .listen(port, '127.0.0.1', () => resolve(server))
  })
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()))

/** Whether a process takes connections at the port. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
      .on('error', () => resolve(false))
      .on('connect', () => {
        resolve(true)
        socket.destroy()
      })
  })
}
