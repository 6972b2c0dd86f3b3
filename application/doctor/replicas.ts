import type { Replica } from '../upkeep/replicas.ts'
import { type Finding, findingsOn } from './finding.ts'

export type ReplicaFacts = {
  /** Those that serve on the database. */
  readonly live: readonly Replica[]
  /** Whether one of them has the lease on the work in the background. */
  readonly isLed: boolean
}

/** How many processes serve on the database, whether they are of one release, and whether one leads. */
export function checkReplicas({ live, isLed }: ReplicaFacts): readonly Finding[] {
  const { ok, skipped, warning } = findingsOn('replicas')
  const [first] = live
  if (!first) return [skipped('none serves on the database')]

  const count = live.length === 1 ? '1 serves' : `${live.length} serve`
  const isOneRelease = live.every(({ version }) => version === first.version)
  const found = isOneRelease
    ? ok(`${count} on the database, version ${first.version}`)
    : warning(
        `${count} on the database, of different versions: ${countVersions(live)}`,
        'upgrade the others, too: an older one that ends does not start again',
      )
  if (isLed) return [found]
  return [
    found,
    warning(
      'none works in the background: no mails about payments, no questions to Stripe',
      'look again in a minute; if it stays so, look in the logs for "task":"leadership"',
    ),
  ]
}

function countVersions(replicas: readonly Replica[]): string {
  const versions = Map.groupBy(replicas, ({ version }) => version)
  return [...versions].map(([version, { length }]) => `${version} (${length})`).join(', ')
}
