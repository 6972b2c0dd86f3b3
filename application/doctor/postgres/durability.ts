import { formatBytes } from '../../format.ts'
import { type Finding, findingsOn } from '../finding.ts'

/** What becomes of a commit that was acknowledged. */
export type DurabilityFacts = {
  readonly fsync: boolean
  readonly fullPageWrites: boolean
  /** `synchronous_commit` as this role gets it. */
  readonly synchronousCommit: string
  /** Whether `synchronous_standby_names` names any. */
  readonly namesSynchronous: boolean
  /** The standbys that are connected at this moment, those of archiving tools too. */
  readonly standbys: readonly StandbyFacts[]
}

type StandbyFacts = {
  /** Null where the role may not know. */
  readonly isSynchronous: boolean | null
  /** How much of the log it has not applied yet; null where the role may not know. */
  readonly behindBytes: number | null
}

const LAG_WARNING_BYTES = 64 * 1024 * 1024
/** A commit waits for no standby under these. */
const LOCAL_COMMITS = ['off', 'local']

export function checkDurability(facts: DurabilityFacts): readonly Finding[] {
  const { ok, warning, failed } = findingsOn('durability')
  const found: Finding[] = []
  if (!facts.fsync) {
    found.push(
      failed(
        'fsync is off: when the server or its machine crashes, the database is lost',
        'ALTER SYSTEM SET fsync = on, and SELECT pg_reload_conf()',
      ),
    )
  }
  if (facts.synchronousCommit === 'off') {
    found.push(
      failed(
        'synchronous_commit is off: a crash loses payments, codes and log-outs that were acknowledged',
        'set it to on for the role, the database and the server',
      ),
    )
  }
  if (!facts.fullPageWrites) {
    found.push(
      warning(
        'full_page_writes is off: a crash in the middle of a write can damage the database',
        'set it to on, unless the file system of the server never writes half a page',
      ),
    )
  }
  return found.length > 0 ? found : [ok('a commit is on the disk before it is acknowledged')]
}

/** A failover keeps what was acknowledged only where a standby had it by then. */
export function checkReplication(facts: DurabilityFacts): readonly Finding[] {
  const { skipped, failed } = findingsOn('replication')
  const { standbys, namesSynchronous } = facts
  const waits = namesSynchronous && !LOCAL_COMMITS.includes(facts.synchronousCommit)
  const isNoneSynchronous = standbys.every(({ isSynchronous }) => isSynchronous === false)
  if (waits && isNoneSynchronous) {
    return [
      failed(
        'every commit waits for a synchronous standby, and none is connected',
        'start the standby, or take its name out of synchronous_standby_names',
      ),
    ]
  }
  if (standbys.length === 0) {
    return [skipped('no standby is connected; what a provider copies by itself cannot be seen')]
  }
  return [checkSynchronous(facts, waits), ...checkLag(standbys)]
}

function checkSynchronous({ standbys, synchronousCommit }: DurabilityFacts, waits: boolean) {
  const { ok, warning } = findingsOn('replication')
  if (waits)
    return ok(`${count(standbys)}, and commits wait for a synchronous one${lagOf(standbys)}`)
  const reason = LOCAL_COMMITS.includes(synchronousCommit)
    ? `synchronous_commit is ${synchronousCommit}`
    : 'synchronous_standby_names is empty'
  return warning(
    `${count(standbys)}, and commits wait for none (${reason}): a failover can lose payments, codes and log-outs that were acknowledged`,
    "set synchronous_standby_names, such as to 'ANY 1 (*)', and synchronous_commit to on",
  )
}

function checkLag(standbys: readonly StandbyFacts[]): readonly Finding[] {
  const { warning } = findingsOn('replication')
  const behind = furthestBehind(standbys)
  if (behind === null || behind < LAG_WARNING_BYTES) return []
  return [
    warning(
      `a standby is ${formatBytes(behind)} behind`,
      'look at its disk, its network and its log: a failover to it takes that much longer',
    ),
  ]
}

function count(standbys: readonly StandbyFacts[]): string {
  return standbys.length === 1 ? '1 standby' : `${standbys.length} standbys`
}

function lagOf(standbys: readonly StandbyFacts[]): string {
  const behind = furthestBehind(standbys)
  if (behind === null) return '; how far it is behind only a role with pg_read_all_stats sees'
  return `; the last one is ${formatBytes(behind)} behind`
}

/** Null where it is not known of any. */
function furthestBehind(standbys: readonly StandbyFacts[]): number | null {
  const known = standbys.flatMap(({ behindBytes }) => (behindBytes === null ? [] : [behindBytes]))
  return known.length === 0 ? null : Math.max(...known)
}
