import { readPreferences } from '../request/accept.ts'

/** Content codings that we make (RFC 9110, section 8.4.1), the denser one first. */
const ENCODINGS = ['zstd', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** The coding that an Accept-Encoding header (RFC 9110, section 12.5.3) prefers; null for none of ours. */
export function chooseEncoding(header: string | null): Encoding | null {
  const accepted = new Map(
    readPreferences(header).map(({ value, quality }) => [value.toLowerCase(), quality]),
  )
  const qualityOf = (coding: string) => accepted.get(coding) ?? accepted.get('*') ?? 0
  const [best] = ENCODINGS.toSorted((left, right) => qualityOf(right) - qualityOf(left))
  if (best === undefined || qualityOf(best) === 0) return null
  return qualityOf(best) < (accepted.get('identity') ?? 0) ? null : best
}

/** Whether it is done once for many answers, or for a single one. */
export type Effort = 'once' | 'each time'

export function encode(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: Encoding,
  effort: Effort,
): Uint8Array<ArrayBuffer> {
  const isOnce = effort === 'once'
  switch (encoding) {
    case 'zstd':
      return Uint8Array.from(Bun.zstdCompressSync(bytes, { level: isOnce ? 19 : 3 }))
    case 'gzip':
      return Bun.gzipSync(bytes, { level: isOnce ? 9 : 6 })
  }
}

/** Says for caches that the answer depends on these request headers. */
export function varyOn(headers: Headers, ...names: readonly string[]): void {
  for (const name of names) headers.append('vary', name)
}
