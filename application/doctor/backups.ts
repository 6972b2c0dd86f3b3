import { HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import { formatBytes } from '../format.ts'
import { type Finding, findingsOn } from './finding.ts'

/** Null where the service makes none by itself. */
export type BackupFacts = {
  readonly folder: string
  /** How often one is made. */
  readonly everyMs: number
  readonly newest: { readonly ageMs: number; readonly bytes: number } | null
  /** Why the service could not use the folder; null when it could. */
  readonly trouble: string | null
} | null

export function checkBackups(facts: BackupFacts): readonly Finding[] {
  const { ok, warning, failed } = findingsOn('backups')
  if (!facts) {
    return [
      warning(
        'BACKUP_DIR is not set: the service makes none by itself',
        'set BACKUP_DIR to a folder that the service may write to, such as /var/lib/alibi/backups under systemd, and copy them to another machine; nothing to do where Litestream or a timer with "alibi backup" does it',
      ),
    ]
  }
  const { folder, everyMs, newest, trouble } = facts
  if (trouble !== null) {
    return [
      failed(
        `BACKUP_DIR: ${folder} is no folder that the service can read and write (${trouble})`,
        'look at the folder, the one around it and their owners: the service does not start without',
      ),
    ]
  }
  if (!newest) {
    return [
      warning(
        `there is none in ${folder} yet`,
        'the service makes one soon after its start: look again, and at what its log says of backups',
      ),
    ]
  }
  const last = `the newest is ${describeAge(newest.ageMs)} old, ${formatBytes(newest.bytes)}, in ${folder}`
  if (newest.ageMs <= 2 * everyMs) return [ok(last)]
  return [
    warning(
      `${last}: one should be made every ${describeAge(everyMs)}`,
      'see that the service runs, and what its log says of backups',
    ),
  ]
}

/** In hours up to two days, else in days. */
function describeAge(milliseconds: number): string {
  const hours = Math.floor(milliseconds / HOUR_MS)
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  return hours >= 1 ? `${hours} h` : `${Math.max(0, Math.floor(milliseconds / MINUTE_MS))} min`
}
