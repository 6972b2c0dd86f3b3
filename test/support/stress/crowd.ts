import type { Socket } from 'bun'

// Many connections that want nothing, or that want it slowly.

export type Crowd = {
  readonly size: number
  /** How many have ended, as far as this side has seen. */
  closed(): number
  /** Sends this on each of them that is still there; null leaves one out. */
  send(text: (index: number) => string | null): void
  leave(): void
}

/** So many at a time, that none is turned away before it was let in. */
const BATCH = 200

export async function gatherCrowd(url: string, size: number): Promise<Crowd> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  const ended = new Set<Socket>()
  const end = (socket: Socket) => void ended.add(socket)
  const handlers = { data() {}, close: end, error: end }
  for (let opened = 0; opened < size; opened += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, size - opened) }, () =>
      Bun.connect({ hostname, port: Number(port), socket: handlers }),
    )
    sockets.push(...(await Promise.all(batch)))
  }
  return {
    size,
    closed: () => ended.size,
    send(text) {
      for (const [index, socket] of sockets.entries()) {
        const piece = ended.has(socket) ? null : text(index)
        if (piece !== null) socket.write(piece)
      }
    },
    leave() {
      for (const socket of sockets) socket.terminate()
    },
  }
}

/** How long each of so many requests of another client takes, in milliseconds. All of them have to be answered. */
export async function timeOthers(url: string, path: string, times: number): Promise<number[]> {
  const taken: number[] = []
  for (let asked = 0; asked < times; asked++) {
    const before = performance.now()
    const response = await fetch(url + path)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
    taken.push(performance.now() - before)
  }
  return taken
}
