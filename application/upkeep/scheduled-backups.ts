import { findBackupsToPrune, findNewest, isBackupDue } from '../../domain/backup-schedule.ts'
import { reasonOf } from '../error-report.ts'
import type { Ports } from '../ports.ts'

/** A whole and checked copy of the database, made at that moment. */
export type Backup = { readonly name: string; readonly at: Date; readonly bytes: number }

/** The folder in which the service keeps backups that it makes by itself. */
export type BackupFolder = {
  /** Those that the service has made, oldest first. Other files in the folder are left out. */
  list(): Promise<readonly Backup[]>
  /** Makes one named after the moment; no file may have that name. Throws with the reason, and then changes nothing. */
  make(at: Date, stopping: AbortSignal): Promise<Backup>
  remove(backup: Backup): Promise<void>
}

/** The backups that the service makes by itself, for monitoring. */
export type Backups = {
  /** The newest that is not from the future; null when there is none. Throws when the folder cannot be read. */
  findNewest(): Promise<Backup | null>
}

/** How long after one backup the next one is due, in milliseconds, and how many are kept, at least one. */
type BackupSchedule = { readonly everyMs: number; readonly keep: number }

export type ScheduledBackups = Backups & {
  /**
   * Makes a backup if one is due, and then removes those that are too many. Logs a failure, and tries again some time
   * later. Never throws.
   */
  work(stopping: AbortSignal): Promise<void>
}

/** Backups that the service makes by itself. The folder says when the last one was, also after a restart. */
export function scheduledBackups(
  { backupFolder, clock, log }: Pick<Ports, 'clock' | 'log'> & { backupFolder: BackupFolder },
  { everyMs, keep }: BackupSchedule,
): ScheduledBackups {
  let failedAt: Date | null = null

  async function makeIfDue(stopping: AbortSignal): Promise<void> {
    const now = clock.now()
    const before = await backupFolder.list()
    if (!isBackupDue(before, { failedAt, everyMs, now })) return

    const { name, bytes } = await backupFolder.make(now, stopping)
    failedAt = null
    log('backup.made', { file: name, bytes })
    await pruneBackups(now)
  }

  async function pruneBackups(now: Date): Promise<void> {
    const toPrune = findBackupsToPrune(await backupFolder.list(), { keep, now })
    for (const backup of toPrune) {
      try {
        await backupFolder.remove(backup)
      } catch (error) {
        throw new Error('an old backup could not be removed', { cause: error })
      }
      log('backup.pruned', { file: backup.name })
    }
  }

  return {
    async findNewest() {
      return findNewest(await backupFolder.list(), { now: clock.now() })
    },
    async work(stopping) {
      const now = clock.now()
      // Right after a failure the folder is left alone: it may be what fails.
      if (!isBackupDue([], { failedAt, everyMs, now })) return
      try {
        await makeIfDue(stopping)
      } catch (error) {
        if (stopping.aborted) return
        failedAt = now
        log('backup.failed', { reason: reasonOf(error) })
      }
    },
  }
}
