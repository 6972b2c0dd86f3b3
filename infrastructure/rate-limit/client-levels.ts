import type { RateLimitWidth } from '../../application/telemetry.ts'
import { type AddressBits, bitsOf, firstBits } from '../../domain/client-network.ts'
import type { PlaceKey } from './place-index.ts'

/** Who is counted: an address, and in which networks, the narrowest first. */
export type Client = {
  readonly bits: AddressBits
  readonly widths: readonly Width[]
  /** All those of one /16 or /32, who may not fill the table by themselves. */
  readonly crowd: number
}

type Width = {
  readonly kind: number
  readonly width: RateLimitWidth
  readonly prefixLength: number
  /** How many times a client's budget it has. */
  readonly budgets: number
  /** New places of this width are opened until the table is so full, from 0 to 1. */
  readonly openedUntil: number
  /** Whether it counts every request of its clients, those that have a narrower place too. */
  readonly always: boolean
}

/** At half of the table the flood of 200 networks of /24 (51,200 addresses) is still counted by address. */
const IPV4_WIDTHS: readonly Width[] = [
  { kind: 4, width: 'client', prefixLength: 32, budgets: 1, openedUntil: 1 / 2, always: true },
  { kind: 5, width: '/24', prefixLength: 24, budgets: 4, openedUntil: 3 / 4, always: false },
  { kind: 6, width: '/16', prefixLength: 16, budgets: 16, openedUntil: 1, always: false },
]

const IPV6_WIDTHS: readonly Width[] = [
  { kind: 7, width: 'client', prefixLength: 64, budgets: 1, openedUntil: 1 / 2, always: true },
  { kind: 8, width: '/56', prefixLength: 56, budgets: 4, openedUntil: 5 / 8, always: true },
  { kind: 9, width: '/48', prefixLength: 48, budgets: 16, openedUntil: 3 / 4, always: true },
  { kind: 10, width: '/32', prefixLength: 32, budgets: 64, openedUntil: 1, always: false },
]

/** Holders of tokens for whom there is no room share as much as the widest network has. */
export const BUDGETS_OF_OTHER_ADDRESSES = 64

/** Counts those who did not come over the network, as if from 0.0.0.0, which is nobody's address (RFC 1122). */
const NO_ADDRESS: AddressBits = { version: 4, high: 0, low: 0 }

/** There is one crowd for each /16 of IPv4, and as many for the /32 of IPv6 together. */
const CROWDS_OF_A_VERSION = 65_536
export const CROWDS = 2 * CROWDS_OF_A_VERSION

/** Reads a valid address. `seed` decides which networks of IPv6 are one crowd. */
export function clientOf(address: string | null, seed: number): Client {
  const bits = address === null ? NO_ADDRESS : bitsOf(address)
  return bits.version === 4
    ? { bits, widths: IPV4_WIDTHS, crowd: bits.high >>> 16 }
    : { bits, widths: IPV6_WIDTHS, crowd: CROWDS_OF_A_VERSION + mix(bits.high, seed) }
}

/** The network of that width in which the client is. */
export function networkKey({ bits }: Client, { kind, prefixLength }: Width): PlaceKey {
  return {
    kind,
    high: firstBits(bits.high, 32, prefixLength),
    low: firstBits(bits.low, 32, prefixLength - 32),
  }
}

function mix(high: number, seed: number): number {
  const mixed = Math.imul(high ^ seed, 0x9e3779b1)
  return (mixed ^ (mixed >>> 15)) >>> 16
}
