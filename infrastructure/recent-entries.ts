/** Some values by key, as many as fit. Whoever asks for one has to be able to do without. */
export type RecentEntries<Value> = {
  find(key: string): Value | null
  /** Other entries go for it. It is not kept where it is larger than all may be together. */
  keep(key: string, value: Value): void
}

type Entry<Value> = { readonly value: Value; readonly size: number; isUsed: boolean }

/**
 * Keeps entries whose sizes are `sizeMax` at most, together. The oldest goes first, but one that was asked for gets a
 * second chance and counts as new. So those in use outlast any number that are asked for once, and to find one moves
 * nothing.
 */
export function recentEntries<Value>({
  sizeMax,
  sizeOf,
}: {
  sizeMax: number
  sizeOf: (key: string, value: Value) => number
}): RecentEntries<Value> {
  // From the oldest to the newest: a Map keeps the order in which its keys were set.
  const entries = new Map<string, Entry<Value>>()
  // One that goes on: a new one would step over all that was deleted at the start of the map, each time.
  let oldest = entries.entries()
  let size = 0

  function removeOne(): void {
    for (let next = oldest.next(); !next.done; next = oldest.next()) {
      const [key, entry] = next.value
      entries.delete(key)
      if (!entry.isUsed) {
        size -= entry.size
        return
      }
      entry.isUsed = false
      entries.set(key, entry)
    }
    // Once it has come to the end, it stays there.
    oldest = entries.entries()
  }

  return {
    find(key) {
      const entry = entries.get(key)
      if (!entry) return null
      entry.isUsed = true
      return entry.value
    },
    keep(key, value) {
      size -= entries.get(key)?.size ?? 0
      entries.delete(key)
      const entry = { value, size: sizeOf(key, value), isUsed: false }
      if (entry.size > sizeMax) return
      while (size + entry.size > sizeMax) removeOne()
      entries.set(key, entry)
      size += entry.size
    },
  }
}
