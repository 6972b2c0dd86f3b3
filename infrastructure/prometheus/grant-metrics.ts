import type { Registry } from 'prom-client'
import type { Statistics } from '../../application/statistics.ts'
import { ACTORS } from '../../domain/grant-change.ts'
import { counter } from './instruments.ts'

export type GrantStatistics = Pick<Statistics, 'findLastGrantChange' | 'countGrantChanges'>

/**
 * Counts, at every call, the changes of grants that any process has recorded since the call before. Changes from before
 * the first call are not counted: like any counter, this one begins with the process.
 */
export function grantChangeMetrics(
  registry: Registry,
  statistics: GrantStatistics,
): () => Promise<void> {
  const changes = counter(registry, {
    name: 'alibi_grant_changes_total',
    help: 'Changes of grants of premium, by whom and why, and whether the grant gives premium since.',
    labels: { by: ACTORS, reason: ['paid'], active: ['true'] },
  })
  changes.inc({ by: 'operator', reason: 'granted', active: 'true' }, 0)
  let last: number | null = null

  return async () => {
    if (last === null) {
      last = await statistics.findLastGrantChange()
      return
    }
    for (let isAll = false; !isAll; ) {
      const page = await statistics.countGrantChanges(last)
      for (const { by, reason, isActive, changes: count } of page.counts) {
        changes.inc({ by, reason, active: String(isActive) }, count)
      }
      last = page.last
      isAll = page.isAll
      // Requests get their turn between two pages.
      if (!isAll) await Bun.sleep(0)
    }
  }
}
