import { resolve } from 'node:path'
import { loadDatabaseConfig } from '../../infrastructure/config/config.ts'
import { backUpDatabase } from '../../infrastructure/sqlite/backups/backup.ts'
import { prepareRestore } from '../../infrastructure/sqlite/backups/restore.ts'
import { migrateSqlite } from '../../infrastructure/sqlite/database.ts'
import { systemClock } from '../../infrastructure/system-clock.ts'
import type { LineOf } from '../cli/command-line.ts'
import { backup } from '../cli/commands/backup.ts'
import { migrate } from '../cli/commands/migrate.ts'
import { restore } from '../cli/commands/restore.ts'
import type { CommandContext } from './command-context.ts'
import { confirm } from './confirmation.ts'
import { existing, openDatabaseAt } from './open-store.ts'

export async function runMigrate(context: CommandContext): Promise<number> {
  const { path } = loadDatabaseConfig(context.surroundings)
  return migrate({ ...context, path, applyMigrations: () => openDatabaseAt(path, migrateSqlite) })
}

export async function runBackup(
  context: CommandContext,
  { file }: LineOf<'backup'>,
): Promise<number> {
  const { path } = loadDatabaseConfig(context.surroundings)
  const databasePath = existing(path)
  return backup({
    ...context,
    backUp: (onStep) => backUpDatabase({ databasePath, file, onStep }),
    monotonicMs: () => performance.now(),
  })
}

export async function runRestore(
  context: CommandContext,
  { file, yes, options: { envFile } }: LineOf<'restore'>,
): Promise<number> {
  const { path: databasePath } = loadDatabaseConfig(context.surroundings)
  const { now } = systemClock()
  return restore({
    ...context,
    file,
    // What is advised may be done in another folder.
    envFile: envFile && resolve(envFile),
    prepare(onStep) {
      const prepared = prepareRestore({ databasePath, file, onStep })
      return { ...prepared, carryOut: () => prepared.carryOut(now()) }
    },
    confirm: (question) => confirm(question, { yes }),
  })
}
