import type { Brand } from './brand.ts'

/** A network of clients in CIDR notation, such as `203.0.113.0/24` or `2001:db8:7::/48`. */
export type ClientNetwork = Brand<string, 'ClientNetwork'>

/** How much of an address names the network, in bits, for IPv4 and for IPv6. */
type PrefixLength = { readonly ipv4: number; readonly ipv6: number }

/** What one client has: an address of IPv4, and the /64 of IPv6 that is handed out as a whole (RFC 6177). */
export const ONE_CLIENT: PrefixLength = { ipv4: 32, ipv6: 64 }
/** What one customer of a network operator may have at most, as a rule: many clients in one hand. */
export const ONE_NETWORK: PrefixLength = { ipv4: 24, ipv6: 48 }

/** Stands for clients that did not come over the network. */
const NO_NETWORK = 'unknown' as ClientNetwork

const GROUP_BITS = 16
const GROUPS = 8
const OCTET_BITS = 8

/** The network of that size in which an address lies. The address is valid, or null for a client without one. */
export function networkOf(address: string | null, { ipv4, ipv6 }: PrefixLength): ClientNetwork {
  if (address === null) return NO_NETWORK
  if (!address.includes(':')) {
    return `${masked(octetsOf(address), OCTET_BITS, ipv4).join('.')}/${ipv4}` as ClientNetwork
  }
  const groups = masked(hextetsOf(address), GROUP_BITS, ipv6).map((group) => group.toString(16))
  const named = Math.ceil(ipv6 / GROUP_BITS)
  const text = named < GROUPS ? `${groups.slice(0, named).join(':')}::` : groups.join(':')
  return `${text}/${ipv6}` as ClientNetwork
}

/** The bits of an address that say whose it is: all of IPv4, in `high`, and the first 64 of IPv6, 32 in each. */
export type AddressBits = {
  readonly version: 4 | 6
  readonly high: number
  readonly low: number
}

/** Reads a valid address once, for networks of every size. */
export function bitsOf(address: string): AddressBits {
  if (!address.includes(':')) {
    const [first = 0, second = 0, third = 0, fourth = 0] = octetsOf(address)
    const high = ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0
    return { version: 4, high, low: 0 }
  }
  const [first = 0, second = 0, third = 0, fourth = 0] = hextetsOf(address)
  return {
    version: 6,
    high: ((first << GROUP_BITS) | second) >>> 0,
    low: ((third << GROUP_BITS) | fourth) >>> 0,
  }
}

/** An IPv4 address that came mapped into IPv6 (RFC 4291, section 2.5.5.2) as it is; others stay as they are. */
export function unmapped(address: string): string {
  // Most addresses are not even read for this.
  if (!/ffff:/i.test(address)) return address
  const groups = hextetsOf(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped) return address
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> OCTET_BITS, high & 0xff, low >> OCTET_BITS, low & 0xff].join('.')
}

/** Keeps the first `length` bits of a row of numbers that have `size` bits each, and sets the others to 0. */
function masked(parts: readonly number[], size: number, length: number): number[] {
  return parts.map((part, index) => {
    const dropped = Math.min(size, Math.max(0, (index + 1) * size - length))
    return (part >> dropped) << dropped
  })
}

/** The four numbers of an IPv4 address. */
function octetsOf(address: string): number[] {
  return address.split('.').map(Number)
}

/** The eight groups of an IPv6 address in any spelling (RFC 4291, section 2.2). */
function hextetsOf(address: string): number[] {
  const gap = address.indexOf('::')
  if (gap === -1) return groupsIn(address)
  const left = groupsIn(address.slice(0, gap))
  const right = groupsIn(address.slice(gap + 2))
  return [...left, ...Array<number>(GROUPS - left.length - right.length).fill(0), ...right]
}

/** IPv4 in the last place counts as two groups. */
function groupsIn(text: string): number[] {
  if (text === '') return []
  const parts = text.split(':')
  const last = parts.at(-1) ?? ''
  if (!last.includes('.')) return parts.map(readGroup)
  const [first = 0, second = 0, third = 0, fourth = 0] = octetsOf(last)
  const embedded = [(first << OCTET_BITS) | second, (third << OCTET_BITS) | fourth]
  return [...parts.slice(0, -1).map(readGroup), ...embedded]
}

function readGroup(text: string): number {
  return Number.parseInt(text, 16)
}
