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
const GROUP_DIGITS_MAX = 4
const OCTET_BITS = 8

const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LOWER_A = 0x61

/** The network of that size in which an address lies. The address is valid, or null for a client without one. */
export function networkOf(address: string | null, { ipv4, ipv6 }: PrefixLength): ClientNetwork {
  if (address === null) return NO_NETWORK
  if (!address.includes(':')) {
    return `${ipv4Text(firstBits(ipv4BitsOf(address, 0), 32, ipv4))}/${ipv4}` as ClientNetwork
  }
  const groups = hextetsOf(address)
  const named = Math.ceil(ipv6 / GROUP_BITS)
  let text = ''
  for (let index = 0; index < named; index++) {
    const length = ipv6 - index * GROUP_BITS
    text += `${index === 0 ? '' : ':'}${firstBits(groups[index] ?? 0, GROUP_BITS, length).toString(16)}`
  }
  return `${text}${named < GROUPS ? '::' : ''}/${ipv6}` as ClientNetwork
}

/** The bits of an address that say whose it is: all of IPv4, in `high`, and the first 64 of IPv6, 32 in each. */
export type AddressBits = {
  readonly version: 4 | 6
  readonly high: number
  readonly low: number
}

/** Reads a valid address once, for networks of every size. */
export function bitsOf(address: string): AddressBits {
  if (!address.includes(':')) return { version: 4, high: ipv4BitsOf(address, 0), low: 0 }
  const groups = hextetsOf(address)
  return { version: 6, high: pairOf(groups, 0), low: pairOf(groups, 2) }
}

/** Two groups as one number of 32 bits. */
function pairOf(groups: Uint16Array, first: number): number {
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

/** The 32 bits of the IPv4 address that begins there. It is read for every request, so no parts are made of it. */
function ipv4BitsOf(text: string, start: number): number {
  let bits = 0
  let octet = 0
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === DOT) {
      bits = (bits << OCTET_BITS) | octet
      octet = 0
    } else octet = 10 * octet + (code - ZERO)
  }
  return ((bits << OCTET_BITS) | octet) >>> 0
}

/** The eight groups of an IPv6 address in any spelling (RFC 4291, section 2.2). */
function hextetsOf(address: string): Uint16Array {
  const groups = new Uint16Array(GROUPS)
  let read = 0
  let gap = 0
  for (let start = 0, end = 0; start <= address.length; start = end + 1) {
    const colon = address.indexOf(':', start)
    end = colon === -1 ? address.length : colon
    if (end === start) gap = read
    else if (end - start <= GROUP_DIGITS_MAX) groups[read++] = groupOf(address, start, end)
    else {
      // IPv4 in the last place counts as two groups.
      const bits = ipv4BitsOf(address, start)
      groups[read++] = bits >>> GROUP_BITS
      groups[read++] = bits & 0xffff
    }
  }
  const missing = GROUPS - read
  return groups.copyWithin(gap + missing, gap, read).fill(0, gap, gap + missing)
}

function groupOf(text: string, start: number, end: number): number {
  let group = 0
  for (let index = start; index < end; index++) {
    group = (group << 4) | hexDigit(text.charCodeAt(index))
  }
  return group
}

function hexDigit(code: number): number {
  return code <= NINE ? code - ZERO : (code | 0x20) - LOWER_A + 10
}
