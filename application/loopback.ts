/** Whether a host's name or address, with or without the brackets of IPv6, means the machine itself. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.[0-9.]+|::1|\[::1\])$/.test(host)
}
