import type { Registry } from 'prom-client'
import type { Leadership } from '../../application/upkeep/leadership.ts'
import { gauge } from './instruments.ts'

/** `replicas` is their number, null while the database does not answer: then nobody knows. */
export function addReplicaMetrics(
  registry: Registry,
  leadership: Pick<Leadership, 'isLeading'>,
  replicas: number | null,
): void {
  gauge(
    registry,
    {
      name: 'alibi_leader',
      help: 'Whether this replica is the one that works in the background for all: 1 or 0.',
    },
    [{ value: leadership.isLeading() ? 1 : 0 }],
  )
  gauge(
    registry,
    { name: 'alibi_replicas', help: 'How many replicas serve on the database.' },
    replicas === null ? [] : [{ value: replicas }],
  )
}
