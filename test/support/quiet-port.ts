import { connect, createServer } from 'node:net'

/** Below those that a system gives to outgoing connections, so that it stays free while its server is stopped. */
const FIRST = 12_000
const LAST = 31_999

/** A port on which no process listens, and which is only given to one that asks for it by its number. */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1))
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

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
