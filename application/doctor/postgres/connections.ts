import { type Finding, findingsOn } from '../finding.ts'

export type ConnectionFacts = {
  /** DATABASE_POOL_MAX. */
  readonly poolMax: number
  /** How many services run on it at this moment; null where that is not known. */
  readonly replicas: number | null
  /** Whether something answers for the server: then nobody knows who opens how many connections to it. */
  readonly hasPooler: boolean
  /** What bounds the connections: the server, and where they are set, the database and the role. */
  readonly limits: readonly ConnectionLimit[]
}

export type ConnectionLimit = {
  readonly setting: 'max_connections' | 'the limit of the database' | 'the limit of the role'
  /** For roles that are no superuser. */
  readonly connections: number
  /** Those that something else has open at this moment. */
  readonly othersOpen: number
}

/** Whether every replica can open all connections that it may. */
export function checkConnections(facts: ConnectionFacts): Finding {
  const { ok, skipped, warning } = findingsOn('connections')
  const { poolMax, replicas, hasPooler, limits } = facts
  const [narrowest] = limits.toSorted((one, other) => roomIn(one) - roomIn(other))
  if (hasPooler || !narrowest) {
    return skipped(
      'a pooler stands in between: how many connections it opens to the server cannot be known from here',
    )
  }
  const room = roomIn(narrowest)
  const running = Math.max(1, replicas ?? 1)
  const wanted = running * poolMax
  const want = `${describe(replicas, running)} up to ${wanted}, and there is room for ${room}`
  if (wanted <= room) return ok(want)
  return warning(
    `${want} (${narrowest.setting} lets in ${narrowest.connections}, and others have ${narrowest.othersOpen})`,
    `lower DATABASE_POOL_MAX to ${Math.max(1, Math.floor(room / running))}, raise the limit, or put PgBouncer in between`,
  )
}

function roomIn({ connections, othersOpen }: ConnectionLimit): number {
  return Math.max(0, connections - othersOpen)
}

function describe(replicas: number | null, running: number): string {
  if (replicas === null) return 'each service opens'
  return running === 1 ? 'the service opens' : `the ${running} services open`
}
