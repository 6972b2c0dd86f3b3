import type { Ports } from '../ports.ts'
import { OPEN_STATES } from './open-purchases.ts'

/**
 * For how long at most an open or delayed purchase has not been read at the provider, in milliseconds; 0 where there is
 * none. Whatever process reconciles, the database knows when its last whole reading began.
 */
export async function measureReconciler({
  purchases,
  sweeps,
  clock,
}: Pick<Ports, 'purchases' | 'sweeps' | 'clock'>): Promise<number> {
  const [oldest] = await purchases.list({ states: OPEN_STATES, after: null, limit: 1 })
  if (!oldest) return 0
  const now = clock.now()
  const lastRun = await sweeps.findLastRun('open_purchases')
  // A last run in the future was noted by a clock that has been set back since.
  const isBelievable = lastRun !== null && lastRun <= now
  const unreadSince = isBelievable && lastRun > oldest.createdAt ? lastRun : oldest.createdAt
  return Math.max(0, now.getTime() - unreadSince.getTime())
}
