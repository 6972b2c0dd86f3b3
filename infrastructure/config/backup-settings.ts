import { DAY_MS } from '../../domain/duration.ts'
import type { DatabaseConfig } from './database-settings.ts'
import { durationUpTo } from './durations.ts'
import { FOLDER, wholeNumber } from './setting-formats.ts'
import type { SettingsSource } from './settings-source.ts'

/** The backups that the service makes by itself: their folder, the milliseconds between two, and how many are kept. */
export type BackupConfig = {
  readonly folder: string
  readonly everyMs: number
  readonly keep: number
}

const KEPT = 7

const POSTGRES_TOOLS =
  'must not be set with PostgreSQL, which is backed up by its own tools, such as pg_dump, or pg_basebackup with an archive of its WAL'

/**
 * Null where no folder is named. A schedule or a number to keep is refused then: it would look as if backups were made.
 * All of it is refused for a database that the service cannot back up.
 */
export function readBackup(
  settings: SettingsSource,
  database: Pick<DatabaseConfig, 'kind'>,
): BackupConfig | null {
  if (database.kind === 'postgres') {
    for (const name of ['BACKUP_DIR', 'BACKUP_SCHEDULE', 'BACKUP_KEEP']) {
      settings.refuse(name, POSTGRES_TOOLS)
    }
    return null
  }
  const folder = settings.read<string | null>('BACKUP_DIR', FOLDER, null)
  if (folder === null && !settings.isSet('BACKUP_DIR')) {
    const reason =
      'needs BACKUP_DIR, without which no backups are made: set that, or leave it unset'
    settings.refuse('BACKUP_SCHEDULE', reason)
    settings.refuse('BACKUP_KEEP', reason)
  }
  const everyMs = settings.read('BACKUP_SCHEDULE', durationUpTo('30d'), DAY_MS)
  const keep = settings.read('BACKUP_KEEP', wholeNumber({ min: 1, max: 10_000 }), KEPT)
  return folder === null ? null : { folder, everyMs, keep }
}
