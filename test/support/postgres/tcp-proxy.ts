import { onTestFinished } from 'bun:test'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { quietPort } from '../quiet-port.ts'

/**
 * `pass` carries everything on. `hang` accepts connections and carries nothing on, of new ones as of those that are
 * open; what it holds back then goes on with the next `pass`. `refuse` refuses new connections and leaves the others.
 */
export type ProxyMode = 'pass' | 'hang' | 'refuse'

/** What stands between a program and a server of this machine, on one port for as long as the test lasts. */
export type TcpProxy = {
  readonly port: number
  /** The URL with the proxy in place of the server. */
  through(url: string): string
  setMode(mode: ProxyMode): Promise<void>
  /** From now on each answer of the server comes so much later. */
  slowDown(milliseconds: number): void
  /** Resets every connection that is open, on both sides. */
  cut(): void
  /** Forgets every open connection, as a router does: nothing that is sent on one arrives, and nobody says so. */
  silence(): void
  /** As `silence`, but what is sent on one is answered by a reset, as by a machine that has taken over an address. */
  resetOnUse(): void
  /** Where connections go from now on; those that are open stay where they are. */
  switchTo(port: number): void
  /** Since it was started, but for `open`, which is how many are open now. */
  counters(): {
    readonly accepted: number
    readonly open: number
    readonly bytesToServer: number
    readonly bytesToClient: number
  }
}

type Connection = { readonly client: Socket; server: Socket | null; isForgotten: boolean }

/** A proxy in front of the port until the test ends. It knows no protocol, so TLS goes through as it is. */
export async function tcpProxy({ to }: { to: number }): Promise<TcpProxy> {
  const port = await quietPort()
  const connections = new Set<Connection>()
  const counts = { accepted: 0, bytesToServer: 0, bytesToClient: 0 }
  let mode: ProxyMode = 'pass'
  let target = to
  let heldBack: (() => void)[] = []
  let latencyMs = 0
  let listener: Server | null = null

  function carry(work: () => void): void {
    if (mode === 'hang') heldBack.push(work)
    else work()
  }

  function accept(client: Socket): void {
    counts.accepted++
    const connection: Connection = { client, server: null, isForgotten: false }
    connections.add(connection)
    client.on('error', () => {})
    client.on('close', () => carry(() => drop(connection)))
    // Nothing of it may be read, and so lost, before there is somewhere to carry it.
    client.pause()
    carry(() => open(connection))
  }

  function open(connection: Connection): void {
    const { client } = connection
    if (client.destroyed) return
    const server = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true })
    connection.server = server
    server.on('error', () => carry(() => drop(connection)))
    server.on('close', () => carry(() => drop(connection)))
    join(connection, client, server, 'bytesToServer')
    join(connection, server, client, 'bytesToClient')
    client.resume()
  }

  function join(
    connection: Connection,
    from: Socket,
    into: Socket,
    count: 'bytesToServer' | 'bytesToClient',
  ): void {
    from.on('data', (data) => {
      const pass = () =>
        carry(() => {
          if (connection.isForgotten) return
          counts[count] += data.length
          into.write(data)
        })
      if (count === 'bytesToClient' && latencyMs > 0) setTimeout(pass, latencyMs)
      else pass()
    })
    from.on('end', () => carry(() => into.end()))
  }

  function drop(connection: Connection): void {
    connections.delete(connection)
    connection.client.destroy()
    connection.server?.destroy()
  }

  function listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      listener = createServer({ allowHalfOpen: true }, accept)
        .once('error', reject)
        .listen(port, '127.0.0.1', resolve)
    })
  }

  function cut(): void {
    for (const connection of connections) {
      connections.delete(connection)
      connection.client.resetAndDestroy()
      connection.server?.resetAndDestroy()
    }
  }

  function silence(): void {
    for (const connection of connections) connection.isForgotten = true
  }

  await listen()
  onTestFinished(() => {
    listener?.close()
    cut()
  })
  return {
    port,
    through(url) {
      const own = new URL(url)
      own.port = String(port)
      return own.href
    },
    async setMode(next) {
      mode = next
      if (next === 'refuse') {
        listener?.close()
        listener = null
      } else if (listener === null) {
        await listen()
      }
      if (next === 'hang') return
      const due = heldBack
      heldBack = []
      for (const work of due) work()
    },
    slowDown(milliseconds) {
      latencyMs = milliseconds
    },
    cut,
    silence,
    resetOnUse() {
      silence()
      for (const { client } of connections) client.once('data', () => client.resetAndDestroy())
    },
    switchTo(next) {
      target = next
    },
    counters: () => ({ ...counts, open: connections.size }),
  }
}
