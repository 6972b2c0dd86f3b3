import { MINUTE_MS } from '../../domain/duration.ts'
import { GUESSING_WINDOW_MS, isGuessing } from '../../domain/guessing-alarm.ts'
import type { Ports } from '../ports.ts'

type Dependencies = Pick<Ports, 'statistics' | 'clock' | 'log'>

/**
 * Counts, at every call, the wrong codes of the last hour over all addresses. Logs once when they become many, and once
 * when that is over. Throws `Unavailable('storage')`.
 */
export function watchWrongCodes(ports: Dependencies): () => Promise<void> {
  let wasGuessing = false

  return async () => {
    const wrongTries = await countRecentWrongTries(ports)
    const fields = { wrongTries, withinMinutes: GUESSING_WINDOW_MS / MINUTE_MS }
    const guessing = isGuessing(wasGuessing, wrongTries)
    if (guessing && !wasGuessing) {
      ports.log('codes.guessing_suspected', fields)
    } else if (wasGuessing && !guessing) {
      ports.log('codes.guessing_ended', fields)
    }
    wasGuessing = guessing
  }
}

/** Of the last hour, over all addresses. Throws `Unavailable('storage')`. */
export function countRecentWrongTries({
  statistics,
  clock,
}: Pick<Ports, 'statistics' | 'clock'>): Promise<number> {
  const until = clock.now()
  const from = new Date(until.getTime() - GUESSING_WINDOW_MS)
  return statistics.countWrongTries({ from, until })
}
