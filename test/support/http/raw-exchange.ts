import type { Socket } from 'node:net'

/** Sends these very bytes, and returns all that comes back until the other side closes. */
export function exchangeRaw(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (data) => {
      received += data
    })
    // A connection that the other side resets has said what it had to say.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.write(text, 'latin1')
  })
}

/** The statuses of all answers of a connection, in their order. */
export function statusesOf(received: string): number[] {
  return Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))
}
