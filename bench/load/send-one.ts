import { connect } from 'node:net'

/** Sends a request as it goes over the wire, on a connection of its own, until its answer begins. */
export async function sendOne(url: string, request: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const socket = connect(Number(port), hostname, () => socket.write(request))
  socket.once('data', resolve)
  socket.once('error', reject)
  socket.once('close', () => reject(new Error('the connection was closed without an answer')))
  const [head = ''] = (await promise).toString('latin1').split('\r\n')
  socket.destroy()
  if (!head.includes(' 200 ')) throw new Error(`a request was answered with ${head}`)
}
