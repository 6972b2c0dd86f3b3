import { dlopen } from 'bun:ffi'
import { socketAddress } from '../../../infrastructure/systemd/notify-socket.ts'
import { until } from '../executable/until.ts'

const AF_UNIX = 1
const SOCK_DGRAM = 2
const MSG_DONTWAIT = 0x40

const { symbols: libc } = dlopen('libc.so.6', {
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
  close: { args: ['i32'], returns: 'i32' },
})

/** A real datagram socket of this name, as systemd has one, and all that was sent to it. */
export function listenForNotices(name: string) {
  const descriptor = libc.socket(AF_UNIX, SOCK_DGRAM, 0)
  const address = socketAddress(name)
  if (libc.bind(descriptor, address, address.length) !== 0) throw new Error(`cannot bind ${name}`)
  const buffer = Buffer.alloc(4096)
  const received: string[] = []

  /** Every message so far, oldest first. */
  function messages(): readonly string[] {
    for (;;) {
      const length = Number(libc.recv(descriptor, buffer, buffer.length, MSG_DONTWAIT))
      if (length < 0) return received
      received.push(buffer.toString('utf8', 0, length))
    }
  }

  const count = (message: string) => messages().filter((one) => one === message).length
  return {
    messages,
    count,
    /** Resolves once a message that has this line came so often. */
    heard: (line: string, times = 1) =>
      until(`${line} is heard ${times} times`, () => {
        const heard = messages().filter((message) => message.split('\n').includes(line))
        return heard.length >= times
      }),
    [Symbol.dispose]: () => void libc.close(descriptor),
  }
}
