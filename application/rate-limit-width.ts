/**
 * By whom requests are counted: by the address of a token, by a client of its own (an address of IPv4, a /64 of IPv6),
 * or by all the clients of a network together.
 */
export const RATE_LIMIT_WIDTHS = ['address', 'client', '/56', '/48', '/32', '/24', '/16'] as const
export type RateLimitWidth = (typeof RATE_LIMIT_WIDTHS)[number]
