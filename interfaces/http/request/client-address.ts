import type { Log } from '../../../application/ports.ts'
import { unmapped } from '../../../domain/client-network.ts'
import { ipVersionOf } from '../../../domain/ip-address.ts'
import { knowProxies } from '../known-proxies.ts'
import { lastEntries } from './header-list.ts'

/** Finds the address a request comes from: its peer's, or the one that trusted proxies have passed on. */
type ClientAddressReader = (request: Request, peerAddress: string | null) => string | null

/** The longest address there is, with brackets, a zone and a port, is shorter. */
const ENTRY_LENGTH_MAX = 80

export function clientAddressReader(
  isTrustedProxy: (address: string) => boolean,
  log: Log,
): ClientAddressReader {
  const isTrusted = knowProxies(isTrustedProxy)
  let hasWarned = false
  /** Once, because a proxy sends it with every request. */
  function warn(entry: string): void {
    if (hasWarned) return
    hasWarned = true
    log('proxy.address_unreadable', { shape: shapeOf(entry) })
  }

  return (request, peerAddress) => {
    const peer = readAddress(peerAddress ?? '')
    if (peer === null || !isTrusted(peer)) return peer

    let believed = peer
    // Each proxy appends the address that called it. From the right, the first untrusted address is the client's; a
    // client may have made up those before it.
    for (const entry of lastEntries(request.headers.get('x-forwarded-for'))) {
      if (!isTrusted(believed)) break
      const address = forwardedAddress(entry)
      if (address === null) {
        warn(entry)
        break
      }
      believed = address
    }
    return believed
  }
}

/** The address of an entry, also in brackets and with a port behind it; null where there is none. */
function forwardedAddress(entry: string): string | null {
  if (entry.length > ENTRY_LENGTH_MAX) return null
  const [, version6, version4] =
    /^(?:\[([^[\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? []
  const isVersion6 = version6 === undefined || ipVersionOf(unzoned(version6)) === 6
  return isVersion6 ? readAddress(version6 ?? version4 ?? entry) : null
}

/** What an entry looks like, without what it says: each digit as 9, each letter as a. */
function shapeOf(entry: string): string {
  return entry
    .slice(0, ENTRY_LENGTH_MAX)
    .replace(/\d/g, '9')
    .replace(/[^9.:[\]"=;_-]/g, 'a')
}

/** The address alone, and of IPv4 where it came mapped into IPv6; null where there is none. */
function readAddress(text: string): string | null {
  const bare = unzoned(text)
  const version = ipVersionOf(bare)
  if (version === 0) return null
  return version === 6 ? unmapped(bare) : bare
}

/** A zone names an interface of ours, not a client. */
function unzoned(address: string): string {
  const zone = address.indexOf('%')
  return zone === -1 ? address : address.slice(0, zone)
}
