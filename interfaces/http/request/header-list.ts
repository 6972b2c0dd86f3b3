/** Of a list only so many entries are read, so that a long header costs no more than a short one. */
export const LIST_ENTRIES_MAX = 32

/** The first entries of a list, such as that of a header (RFC 9110, section 5.6.1), without the spaces around them. */
export function firstEntries(header: string | null, separator: ',' | ';' | '&' = ','): string[] {
  if (!header) return []
  const entries: string[] = []
  let start = 0
  while (start <= header.length && entries.length < LIST_ENTRIES_MAX) {
    const next = header.indexOf(separator, start)
    const end = next === -1 ? header.length : next
    entries.push(header.slice(start, end).trim())
    start = end + 1
  }
  return entries
}

/** The last entries of a list, the last one first, each read only when it is asked for. */
export function* lastEntries(header: string | null): Generator<string> {
  if (!header) return
  let end = header.length
  for (let count = 0; end >= 0 && count < LIST_ENTRIES_MAX; count++) {
    const comma = end === 0 ? -1 : header.lastIndexOf(',', end - 1)
    yield header.slice(comma + 1, end).trim()
    end = comma
  }
}
