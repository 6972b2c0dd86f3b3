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

/** The network of that size in which an address lies. The address is valid, or null for a client without one. */
export function networkOf(address: string | null, { ipv4, ipv6 }: PrefixLength): ClientNetwork {
  if (address === null) return NO_NETWORK
  if (!address.includes(':')) {
    return `${ipv4Text(firstBits(ipv4BitsOf(address), 32, ipv4))}/${ipv4}` as ClientNetwork
  }
  const groups = hextetsOf(address)
  const named = Math.ceil(ipv6 / GROUP_BITS)
  const text = groups.slice(0, named).map((group, index) => {
    const length = ipv6 - index * GROUP_BITS
    return firstBits(group, GROUP_BITS, length).toString(16)
  })
  return `${text.join(':')}${named < GROUPS ? '::' : ''}/${ipv6}` as ClientNetwork
}

/** The bits of an address that say whose it is: all of IPv4, in `high`, and the first 64 of IPv6, 32 in each. */
export type AddressBits = {
  readonly version: 4 | 6
  readonly high: number
  readonly low: number
}

/** Reads a valid address once, for networks of every size. */
export function bitsOf(address: string): AddressBits {
  if (!address.includes(':')) return { version: 4, high: ipv4BitsOf(address), low: 0 }
  const groups = hextetsOf(address)
  return { version: 6, high: pairOf(groups, 0), low: pairOf(groups, 2) }
}

/** Two groups as one number of 32 bits. */
function pairOf(groups: readonly number[], first: number): number {
  return (((groups[first] ?? 0) << GROUP_BITS) | (groups[first + 1] ?? 0)) >>> 0
}

/** An IPv4 address that came mapped into IPv6 (RFC 4291, section 2.5.5.2) as it is; others stay as they are. */
export function unmapped(address: string): string {
  // Most addresses are not even read for this.
  if (!/ffff:/i.test(address)) return address
  const groups = hextetsOf(address)
  const isMapped =
    pairOf(groups, 0) === 0 && pairOf(groups, 2) === 0 && pairOf(groups, 4) === 0xffff
  return isMapped ? ipv4Text(pairOf(groups, 6)) : address
}

/** Keeps the first `length` of the `size` bits of a number, 32 at most, and sets the others to 0. */
export function firstBits(bits: number, size: number, length: number): number {
  if (length <= 0) return 0
  const dropped = Math.max(0, size - length)
  return ((bits >>> dropped) << dropped) >>> 0
}

function ipv4Text(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 0xff}.${(bits >>> 8) & 0xff}.${bits & 0xff}`
}

function ipv4BitsOf(address: string): number {
  return address.split('.').reduce((bits, octet) => (bits << 8) | Number(octet), 0) >>> 0
}

/** The eight groups of an IPv6 address in any spelling (RFC 4291, section 2.2). */
function hextetsOf(address: string): readonly number[] {
  const [written = ''] = address.split('%', 1)
  const [before = [], after = []] = written.split('::').map(groupsOf)
  const missing = Math.max(0, GROUPS - before.length - after.length)
  return [...before, ...Array<number>(missing).fill(0), ...after]
}

/** IPv4 in the last place counts as two groups. */
function groupsOf(text: string): readonly number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return Number.parseInt(group, 16)
    const bits = ipv4BitsOf(group)
    return [bits >>> GROUP_BITS, bits & 0xffff]
  })
}
