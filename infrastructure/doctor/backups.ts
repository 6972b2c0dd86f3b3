import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { BackupFacts } from '../../application/doctor/backups.ts'
import type { Clock } from '../../application/ports.ts'
import { findNewest } from '../../domain/backup-schedule.ts'
import type { BackupConfig } from '../config/backup-settings.ts'
import { codeOf } from '../files/node-errors.ts'
import { canMakeFiles } from '../files/permissions.ts'
import { listBackups } from '../sqlite/backups/backup-folder.ts'

/** Looks at the backups that the service has made by itself. Never throws. */
export function probeBackups(
  { folder, everyMs }: BackupConfig,
  { clock, databasePath }: { clock: Clock; databasePath: string | null },
): NonNullable<BackupFacts> {
  const facts = { folder, everyMs, newest: null, trouble: null }
  const around = dirname(resolve(folder))
  try {
    const now = clock.now()
    const newest = existsSync(folder) ? findNewest(listBackups(folder), { now }) : null
    // The service makes a missing folder, but not its parent, unless the database is to be in that parent.
    const isAroundMade =
      !existsSync(around) && databasePath !== null && around === dirname(databasePath)
    if (!isAroundMade) refuseUnwritable(existsSync(folder) ? folder : around, databasePath)
    if (!newest) return facts
    const ageMs = now.getTime() - newest.at.getTime()
    return { ...facts, newest: { ageMs, bytes: newest.bytes } }
  } catch (error) {
    return { ...facts, trouble: codeOf(error) ?? 'unknown' }
  }
}

/** Throws unless files can be made in the folder, by the owner of the database too: root may write anywhere. */
function refuseUnwritable(folder: string, databasePath: string | null): void {
  accessSync(folder, constants.W_OK)
  const database = databasePath === null ? null : statSync(databasePath, { throwIfNoEntry: false })
  if (database && !canMakeFiles(database.uid, statSync(folder))) {
    throw Object.assign(new Error('it belongs to another user'), { code: 'EACCES' })
  }
}
