import { isIP } from 'node:net'
import { unmapped } from '../../../domain/client-network.ts'

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

/** What the routes are told of the clients, by the request that they see. An entry lives as long as its request. */
const clients = new WeakMap<Request, string | null>()

/** Makes `clientAddressOf` return this for the request that the routes see. */
export function rememberClientAddress(request: Request, address: string | null): void {
  clients.set(request, address)
}

/** The address of the client, as `ClientAddressReader` has found it; null for a request that came from elsewhere. */
export function clientAddressOf(request: Request): string | null {
  return clients.get(request) ?? null
}

/** A zone names an interface of ours, not a client. */
function unwrap(address: string): string {
  const [bare = ''] = address.split('%', 1)
  return isIP(bare) === 6 ? unmapped(bare) : bare
}
