import { resolve } from 'node:path'
import type { Log } from '../../application/ports.ts'
import {
  type ScheduledBackups,
  scheduledBackups,
} from '../../application/upkeep/scheduled-backups.ts'
import type { Config } from '../../infrastructure/config/config.ts'
import { sqlitePathOf } from '../../infrastructure/config/sqlite-path.ts'
import type { TakenRights } from '../../infrastructure/rights/effective-user.ts'
import {
  backupFolder,
  findBackupFolderProblem,
} from '../../infrastructure/sqlite/backups/backup-folder.ts'
import { systemClock } from '../../infrastructure/system-clock.ts'

/** This very program, compiled or from source. */
const OWN_COMMAND = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, 'run', Bun.main]

// Why: docs/decisions.md#backups-are-made-by-a-second-process
/** The backups that the service makes by itself; null where it makes none. */
export function composeBackups({
  config,
  log,
  rights,
}: {
  config: Config
  log: Log
  /** With which the process uses the database. */
  rights: TakenRights
}): ScheduledBackups | null {
  if (config.backup === null) return null
  const { folder, everyMs, keep } = config.backup
  const databasePath = resolve(sqlitePathOf(config.database))
  const parts = {
    backupFolder: backupFolder(resolve(folder), { command: OWN_COMMAND, databasePath, rights }),
    clock: systemClock(),
    log,
  }
  return scheduledBackups(parts, { everyMs, keep })
}

/** A folder that takes no backup is a wrong setting. The operator should learn that before a backup is needed. */
export function reportBackupFolder(
  { backup, database }: Pick<Config, 'backup' | 'database'>,
  report: (problem: string) => void,
): void {
  if (backup === null) return
  const databasePath = resolve(sqlitePathOf(database))
  const problem = findBackupFolderProblem(resolve(backup.folder), { databasePath })
  if (problem) {
    report(`BACKUP_DIR must be a folder that files can be made in, or be made itself (${problem})`)
  }
}
