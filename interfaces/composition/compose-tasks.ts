import { watchWrongCodes } from '../../application/access/watch-wrong-codes.ts'
import type { Ports } from '../../application/ports.ts'
import { pruneExpired } from '../../application/upkeep/prune-expired.ts'
import type { ScheduledBackups } from '../../application/upkeep/scheduled-backups.ts'
import type { Config } from '../../infrastructure/config/config.ts'
import type { Task } from '../background/background.ts'
import { wait } from './wait.ts'

const PRUNING_EVERY_MS = 60 * 60_000
/** After each of its steps, so that others get their turn. */
const PRUNING_PAUSE_MS = 20
const WRONG_CODES_EVERY_MS = 60_000
/** How late a backup may be that is due. */
const BACKUPS_EVERY_MS = 60_000

/** What the service does by itself beside the payments' own work. */
export function composeTasks({
  config: { tokenLifetimeMs },
  ports,
  backups,
}: {
  config: Config
  ports: Ports
  backups: ScheduledBackups | null
}): readonly Task[] {
  const pause = () => wait(PRUNING_PAUSE_MS)
  return [
    {
      name: 'pruning',
      everyMs: PRUNING_EVERY_MS,
      work: (stopping) => pruneExpired(ports, { tokenLifetimeMs, pause, stopping }),
    },
    { name: 'wrong_codes', everyMs: WRONG_CODES_EVERY_MS, work: watchWrongCodes(ports) },
    ...(backups
      ? [{ name: 'backups' as const, everyMs: BACKUPS_EVERY_MS, work: backups.work }]
      : []),
  ]
}
