import type { LastReasons } from '../application/ports.ts'
import type { Language } from '../domain/language.ts'
import { recentEntries } from './recent-entries.ts'

// Why: docs/decisions.md#a-readers-last-excuse-is-kept-in-memory
/**
 * Keeps them in memory, for the latest `readersMax` readers. After a restart, chance alone keeps an excuse from coming
 * twice in a row; a write to disk for every excuse would be a high price for that.
 */
export function lastReasonCache({ readersMax }: { readersMax: number }): LastReasons {
  const readers = recentEntries<Partial<Record<Language, number>>>({
    sizeMax: readersMax,
    sizeOf: () => 1,
  })

  return {
    find: (reader, language) => readers.find(reader)?.[language] ?? null,
    remember(reader, language, index) {
      const known = readers.find(reader)
      if (known) known[language] = index
      else readers.keep(reader, { [language]: index })
    },
  }
}
