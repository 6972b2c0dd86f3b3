// `bun run bench:limiter`: how much memory full tables of the rate limiter take, and how long a request takes then.

import { heapStats } from 'bun:jsc'
import type { RateLimitSubject } from '../application/ports.ts'
import type { Email } from '../domain/email.ts'
import { slidingWindowLimiter } from '../infrastructure/rate-limit/sliding-window-limiter.ts'

const LIMIT = 10
const WINDOW_MS = 900_000

/** What is in use beside the objects themselves, in bytes: here the columns of the tables. */
function columnBytes(): number {
  Bun.gc(true)
  return heapStats().extraMemorySize
}

const before = columnBytes()
let now = 0
const limiter = slidingWindowLimiter({
  limit: LIMIT,
  windowMs: WINDOW_MS,
  monotonicMs: () => now,
  seeds: [1, 2],
})

const counts: Record<string, number> = {}
async function take(subject: RateLimitSubject): Promise<void> {
  const { accepted, width } = await limiter.take(subject)
  const name = `${accepted ? 'accepted by' : 'refused by'} ${width}`
  counts[name] = (counts[name] ?? 0) + 1
  now += 0.001
}

const startedAt = performance.now()
let requests = 0
// Every /16 of IPv4, then as many /32 of IPv6, each from many clients, then more holders of tokens than it counts.
for (let round = 0; round < 24; round++) {
  for (let network = 0; network < 65_536; network++) {
    const third = (round * 7) % 256
    await take({ kind: 'client', address: `${network >> 8}.${network & 255}.${third}.${round}` })
    if (round >= 4 || network % 4 !== 0) continue
    await take({
      kind: 'client',
      address: `${(0x2000 + round).toString(16)}:${network.toString(16)}::1`,
    })
    requests++
  }
  requests += 65_536
}
for (let round = 0; round < 10; round++) {
  for (let holder = 0; holder < 70_000; holder++) {
    await take({ kind: 'address', email: `${holder}@example.com` as Email })
    requests++
  }
}
const ms = performance.now() - startedAt
console.log(`tables that are full     ${columnBytes() - before} bytes`)
console.log(`the whole process        ${process.memoryUsage().rss} bytes`)
console.log(`a request                ${((1000 * ms) / requests).toFixed(2)} microseconds`)
for (const [name, count] of Object.entries(counts)) console.log(`${name.padEnd(24)} ${count}`)
