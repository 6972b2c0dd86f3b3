const LOOPBACK = /^(?:localhost|127\.[0-9.]+|\[?::1\]?)$/

/** Whether a host or address, in brackets or without, can only be this machine itself: RFC 6761, RFC 1122, RFC 4291. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}
