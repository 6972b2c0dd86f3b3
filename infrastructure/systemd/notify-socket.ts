import { openLibc } from '../libc.ts'

/** Takes one message of sd_notify(3). Rejects when it cannot be delivered. */
export type Notify = (message: string) => Promise<void>

const LIBC_SYMBOLS = {
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
} as const

// The same numbers on every architecture that Bun runs on (socket(2), send(2), unix(7)).
const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const MSG_DONTWAIT = 0x40
const MSG_NOSIGNAL = 0x4000
const PATH_BYTES_MAX = 107

const FLAGS = MSG_DONTWAIT | MSG_NOSIGNAL

// Why: docs/decisions.md#the-service-notifies-systemd-through-libc
/**
 * Opens a way to the datagram socket of this name, by libc, because Bun has no such sockets of its own. It stays open,
 * so that it still works in a process that has run out of file descriptors. A message is sent before the call first
 * pauses, or not at all: where the receiver's queue is full, waiting would hold up every request. Throws where no such
 * socket can be opened.
 */
export function openNotifySocket(name: string): Notify {
  const address = socketAddress(name)
  const { socket, sendto } = openLibc(LIBC_SYMBOLS)
  const descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
  if (descriptor < 0) throw new Error('no socket can be opened')

  return async (message) => {
    const bytes = Buffer.from(message)
    const sent = sendto(descriptor, bytes, bytes.length, FLAGS, address, address.length)
    if (Number(sent) !== bytes.length) throw new Error(`${name} does not take messages`)
  }
}

/** The address as sockaddr_un has it: a path, or behind an @ a name of Linux's abstract kind. */
export function socketAddress(name: string): Buffer {
  const isAbstract = name.startsWith('@')
  const path = isAbstract ? `\0${name.slice(1)}` : `${name}\0`
  if (!isAbstract && !name.startsWith('/')) {
    throw new Error(`${name} is neither an absolute path nor an abstract socket`)
  }
  const bytes = Buffer.from(path)
  if (bytes.length > PATH_BYTES_MAX + 1) throw new Error(`${name} is too long for a socket`)
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer)
  return Buffer.concat([family, bytes])
}
