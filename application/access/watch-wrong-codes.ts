import { MINUTE_MS } from '../../domain/duration.ts'
import { GUESSING_WINDOW_MS, isGuessing } from '../../domain/guessing-alarm.ts'
import type { Ports } from '../ports.ts'
import type { WrongTryRanking } from '../statistics.ts'

type Dependencies = Pick<Ports, 'statistics' | 'clock' | 'log'>

/** So many networks are named in a line of the log. */
export const NETWORKS_NAMED = 5

/**
 * Counts, at every call, the wrong codes of the last hour over all addresses. Logs once when they become many, with the
 * networks that they came from most, and once when that is over. Throws `Unavailable('storage')`.
 */
export function watchWrongCodes(ports: Dependencies): () => Promise<void> {
  let wasGuessing = false

  return async () => {
    const ranking = await rankRecentWrongTries(ports, { top: NETWORKS_NAMED })
    const fields = { wrongTries: ranking.tries, withinMinutes: GUESSING_WINDOW_MS / MINUTE_MS }
    const guessing = isGuessing(wasGuessing, ranking.tries)
    if (guessing && !wasGuessing) {
      ports.log('codes.guessing_suspected', { ...fields, ...whereFrom(ranking) })
    } else if (wasGuessing && !guessing) {
      ports.log('codes.guessing_ended', fields)
    }
    wasGuessing = guessing
  }
}

/** No address of a person is among it. */
function whereFrom({ addresses, networks, topNetworks }: WrongTryRanking) {
  const worst = topNetworks.map(({ network, tries }) => `${network} (${tries})`)
  return { addresses, networks, worstNetworks: worst.join(', ') }
}

/** Of the last hour, over all addresses. Throws `Unavailable('storage')`. */
export function rankRecentWrongTries(
  { statistics, clock }: Pick<Ports, 'statistics' | 'clock'>,
  { top }: { top: number },
): Promise<WrongTryRanking> {
  const until = clock.now()
  const from = new Date(until.getTime() - GUESSING_WINDOW_MS)
  return statistics.rankWrongTries({ from, until, top })
}
