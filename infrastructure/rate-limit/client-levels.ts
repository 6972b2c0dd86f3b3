import type { RateLimitWidth } from '../../application/rate-limit-width.ts'
import { type AddressBits, bitsOf } from '../../domain/client-network.ts'
import type { PlaceKey } from './place-index.ts'

/** One of the networks in which a client can be counted. */
export type Level = { readonly rules: Width; readonly key: PlaceKey }

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

/** Counts those who did not come over the network, as if from 0.0.0.0, which is nobody's address (RFC 1122). */
const NO_ADDRESS: AddressBits = { version: 4, high: 0, low: 0 }

/** There is one crowd for each /16 of IPv4, and as many for the /32 of IPv6 together. */
const CROWDS_OF_A_VERSION = 65_536
export const CROWDS = 2 * CROWDS_OF_A_VERSION

/**
 * The networks of a client, the narrowest first, and the crowd that it belongs to: all those of one /16 or /32, which
 * may not fill the table by themselves. `seed` decides which networks of IPv6 are one crowd.
 */
export function clientLevels(
  address: string | null,
  seed: number,
): { readonly levels: readonly Level[]; readonly crowd: number } {
  const bits = address === null ? NO_ADDRESS : bitsOf(address)
  const widths = bits.version === 4 ? IPV4_WIDTHS : IPV6_WIDTHS
  return {
    levels: widths.map((rules) => ({ rules, key: keyOf(bits, rules) })),
    crowd: bits.version === 4 ? bits.high >>> 16 : CROWDS_OF_A_VERSION + mix(bits.high, seed),
  }
}

function keyOf({ high, low }: AddressBits, { kind, prefixLength }: Width): PlaceKey {
  return { kind, high: firstBits(high, prefixLength), low: firstBits(low, prefixLength - 32) }
}

/** Keeps the first `length` of 32 bits. */
function firstBits(bits: number, length: number): number {
  if (length <= 0) return 0
  return length >= 32 ? bits : (bits & (-1 << (32 - length))) >>> 0
}

function mix(high: number, seed: number): number {
  const mixed = Math.imul(high ^ seed, 0x9e3779b1)
  return (mixed ^ (mixed >>> 15)) >>> 16
}
