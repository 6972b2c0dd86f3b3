import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Finding, findingsOn } from '../../application/doctor/finding.ts'
import { formatBytes } from '../../application/format.ts'
import type { Clock } from '../../application/ports.ts'
import { findNewest } from '../../domain/backup-schedule.ts'
import { HOUR_MS, MINUTE_MS } from '../../domain/duration.ts'
import type { BackupConfig } from '../config/backup-settings.ts'
import { codeOf } from '../files/node-errors.ts'
import { canMakeFiles } from '../files/permissions.ts'
import type { TakenRights } from '../rights/effective-user.ts'
import { withRightsFor } from '../rights/state-folder.ts'
import { listBackups } from '../sqlite/backups/backup-folder.ts'

type Around = {
  readonly clock: Clock
  /** Absolute; null while DATABASE_URL is wrong. */
  readonly databasePath: string | null
}

/** Looks at the backups that the service makes by itself; null where it makes none. Never throws. */
export function checkBackups(
  config: BackupConfig | null,
  { rights, ...around }: Around & { rights: TakenRights },
): readonly Finding[] {
  if (!config) {
    return [
      findingsOn('backups').warning(
        'BACKUP_DIR is not set: the service makes none by itself',
        'set BACKUP_DIR to a folder that the service may write to, such as /var/lib/alibi/backups under systemd, and copy them to another machine; nothing to do where Litestream or a timer with "alibi backup" does it',
      ),
    ]
  }
  const { databasePath } = around
  if (databasePath === null) return checkFolder(config, around)
  return rights.asCaller(() =>
    withRightsFor(config.folder, databasePath, () => checkFolder(config, around)),
  )
}

function checkFolder(
  { folder, everyMs }: BackupConfig,
  { clock, databasePath }: Around,
): readonly Finding[] {
  const { ok, warning, failed } = findingsOn('backups')
  const now = clock.now()
  try {
    const newest = existsSync(folder) ? findNewest(listBackups(folder), { now }) : null
    refuseUnwritable(folder, databasePath)
    if (!newest) {
      return [
        warning(
          `there is none in ${folder} yet`,
          'the service makes one soon after its start: look again, and at what its log says of backups',
        ),
      ]
    }
    const ageMs = now.getTime() - newest.at.getTime()
    const last = `the newest is ${describeAge(ageMs)} old, ${formatBytes(newest.bytes)}, in ${folder}`
    if (ageMs <= 2 * everyMs) return [ok(last)]
    return [
      warning(
        `${last}: one should be made every ${describeAge(everyMs)}`,
        'see that the service runs, and what its log says of backups',
      ),
    ]
  } catch (error) {
    return [
      failed(
        `BACKUP_DIR: ${folder} is no folder that the service can read and write (${codeOf(error) ?? 'unknown'})`,
        'look at the folder, the one around it and their owners: the service does not start without',
      ),
    ]
  }
}

/** Throws unless files can be made in the folder, by the owner of the database too: root may write anywhere. */
function refuseUnwritable(folder: string, databasePath: string | null): void {
  const around = dirname(resolve(folder))
  // The service makes a missing folder, but not its parent, unless the database is to be in that parent.
  if (!existsSync(around) && databasePath !== null && around === dirname(databasePath)) return
  const usable = existsSync(folder) ? folder : around
  accessSync(usable, constants.W_OK)
  const database = databasePath === null ? null : statSync(databasePath, { throwIfNoEntry: false })
  if (database && !canMakeFiles(database.uid, statSync(usable))) {
    throw Object.assign(new Error('it belongs to another user'), { code: 'EACCES' })
  }
}

/** In hours up to two days, else in days. */
function describeAge(milliseconds: number): string {
  const hours = Math.floor(milliseconds / HOUR_MS)
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  return hours >= 1 ? `${hours} h` : `${Math.max(0, Math.floor(milliseconds / MINUTE_MS))} min`
}
