import { isIP } from 'node:net'

/** Finds the address a request comes from: its peer's, or the one that trusted proxies have passed on. */
export type ClientAddressReader = (request: Request, peerAddress: string | null) => string | null

export function clientAddressReader(
  isTrustedProxy: (address: string) => boolean,
): ClientAddressReader {
  return (request, peerAddress) => {
    let believed = unwrap(peerAddress ?? '')
    if (!isIP(believed)) return null

    // Each proxy appends the address that called it. From the right, the first untrusted address is the client's; a
    // client may have made up those before it.
    const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? []
    for (const entry of forwarded.reverse()) {
      const address = unwrap(entry.trim())
      if (!isTrustedProxy(believed) || !isIP(address)) break
      believed = address
    }
    return believed
  }
}

/** Clients with one key share a limit: an IPv4 address, or the /64 of IPv6 that is handed out as a whole. */
export function clientKey(address: string | null): string {
  if (address === null) return 'unknown'
  if (isIP(address) === 4) return address
  return `${hextets(address).slice(0, 4).join(':')}::/64`
}

/** An IPv4 address that came mapped into IPv6 is the IPv4 address; a zone names an interface of ours, not a client. */
function unwrap(address: string): string {
  const [bare = ''] = address.split('%', 1)
  if (isIP(bare) !== 6) return bare
  const parts = hextets(bare)
  const isMapped = parts.slice(0, 5).every((part) => part === '0') && parts[5] === 'ffff'
  if (!isMapped) return bare
  return parts
    .slice(6)
    .map((part) => Number.parseInt(part, 16))
    .flatMap((part) => [part >> 8, part & 0xff])
    .join('.')
}

/** The eight groups of an IPv6 address, without leading zeros. */
function hextets(address: string): string[] {
  // The URL parser brings every spelling into one form, with IPv4 in its last groups written as groups.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const left = head === '' ? [] : head.split(':')
  if (tail === undefined) return left
  const right = tail === '' ? [] : tail.split(':')
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
}
