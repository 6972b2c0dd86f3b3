import type { LastReasons } from '../application/ports.ts'
import type { Email } from '../domain/email.ts'
import type { Language } from '../domain/language.ts'

// Why: docs/decisions.md#a-readers-last-excuse-is-kept-in-memory
/**
 * Keeps them in memory, for the latest `readersMax` readers. After a restart, chance alone keeps an excuse from coming
 * twice in a row; a write to disk for every excuse would be a high price for that.
 */
export function lastReasonCache({ readersMax }: { readersMax: number }): LastReasons {
  // In the order in which they came last: a Map keeps the order in which its keys were set.
  const readers = new Map<Email, Map<Language, number>>()

  return {
    find: (reader, language) => readers.get(reader)?.get(language) ?? null,
    remember(reader, language, index) {
      const indices = readers.get(reader) ?? new Map<Language, number>()
      readers.delete(reader)
      readers.set(reader, indices.set(language, index))
      if (readers.size <= readersMax) return
      const [longestAgo] = readers.keys()
      if (longestAgo !== undefined) readers.delete(longestAgo)
    },
  }
}
