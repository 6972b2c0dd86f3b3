import { closeSync } from 'node:fs'
import type { BackupReport } from '../../application/upkeep/reports.ts'
import {
  ConfigError,
  type Environment,
  loadDatabaseConfig,
} from '../../infrastructure/config/config.ts'
import { isElsewhere, takeOwnersRights } from '../../infrastructure/rights/state-folder.ts'
import { backUpDatabase } from '../../infrastructure/sqlite/backups/backup.ts'
import { backUpElsewhere } from '../../infrastructure/sqlite/backups/backup-elsewhere.ts'
import { prepareRestore } from '../../infrastructure/sqlite/backups/restore.ts'
import { stageBackup } from '../../infrastructure/sqlite/backups/restore-staged.ts'
import { migrateSqlite } from '../../infrastructure/sqlite/database.ts'
import { systemClock } from '../../infrastructure/system-clock.ts'
import type { Migration, PreparedRestore } from '../cli/command-context.ts'
import { existing, openDatabaseAt } from './open-store.ts'

type OnStep = (step: string) => void

export function openMigration(environment: Environment): Migration {
  const database = loadDatabaseConfig(environment)
  if (database.kind === 'sqlite') {
    const { path } = database
    takeOwnersRights(path)
    return { path, applyMigrations: async () => openDatabaseAt(path, migrateSqlite) }
  }
  return {
    path: database.shownUrl,
    async applyMigrations() {
      const { migratePostgres } = await import('../../infrastructure/postgres/open.ts')
      return { ...(await migratePostgres(database)), copy: null }
    },
  }
}

export function openBackup(
  environment: Environment,
  file: string,
): (onStep: OnStep) => BackupReport {
  const path = ownFileOf(environment)
  const databasePath = existing(path)
  return (onStep) => {
    if (isElsewhere(file, databasePath)) return backUpElsewhere({ databasePath, file, onStep })
    takeOwnersRights(databasePath)
    return backUpDatabase({ databasePath, file, onStep })
  }
}

export function openRestore(
  environment: Environment,
  file: string,
): (onStep: OnStep) => PreparedRestore {
  const databasePath = ownFileOf(environment)
  const { now } = systemClock()
  return (onStep) => {
    const staged = isElsewhere(file, databasePath) ? stageBackup(file, onStep) : null
    try {
      takeOwnersRights(databasePath)
      const prepared = prepareRestore({ databasePath, ...(staged ?? { file }), onStep })
      return { ...prepared, carryOut: () => prepared.carryOut(now()) }
    } finally {
      if (staged) closeSync(staged.descriptor)
    }
  }
}

/** Where the file of the database is that Alibi itself copies. Throws `ConfigError` where it is a PostgreSQL. */
function ownFileOf(environment: Environment): string {
  const database = loadDatabaseConfig(environment)
  if (database.kind === 'sqlite') return database.path
  throw new ConfigError([
    'DATABASE_URL names a PostgreSQL, which is backed up and restored by its own tools: pg_dump and pg_restore, or pg_basebackup with an archive of its WAL',
  ])
}
