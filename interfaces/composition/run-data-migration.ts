import type { CopiedTable, CopyProgress } from '../../application/upkeep/reports.ts'
import {
  ConfigError,
  type Environment,
  loadDatabaseAt,
  loadDatabaseConfig,
} from '../../infrastructure/config/config.ts'
import type { DatabaseConfig } from '../../infrastructure/config/database-settings.ts'
import {
  copyTables,
  type DataSource,
  type DataTarget,
} from '../../infrastructure/data-migration/copy-tables.ts'
import { takeOwnersRights } from '../../infrastructure/rights/state-folder.ts'
import type { DataMigration } from '../cli/command-context.ts'

/** Throws `ConfigError` where one of the two is malformed, or both are of one kind. */
export function openDataMigration(
  environment: Environment,
  { from, to }: { from: string; to: string },
): DataMigration {
  const [source, target] = [
    readDatabase(environment, { name: '--from', url: from }),
    readDatabase(environment, { name: '--to', url: to }),
  ]
  if (source.kind === target.kind) throw new ConfigError([SAME_KIND[source.kind]])
  return {
    from: shown(source),
    to: shown(target),
    copy: (options) => copyAll(source, target, options),
  }
}

const SAME_KIND: Readonly<Record<DatabaseConfig['kind'], string>> = {
  sqlite:
    '--from and --to both name a database of SQLite, where "alibi backup" and "alibi restore" do it; "env" stands for DATABASE_URL, which may be in the file that --env-file names',
  postgres:
    "--from and --to both name a PostgreSQL, where PostgreSQL's own tools do it: pg_dump and pg_restore",
}

function readDatabase(
  environment: Environment,
  option: { name: string; url: string },
): DatabaseConfig {
  return option.url === 'env'
    ? loadDatabaseConfig(environment)
    : loadDatabaseAt(environment, option)
}

function shown(database: DatabaseConfig): string {
  return database.kind === 'sqlite' ? `sqlite:${database.path}` : database.shownUrl
}

async function copyAll(
  source: DatabaseConfig,
  target: DatabaseConfig,
  options: { onProgress: (progress: CopyProgress) => void; stopping: AbortSignal },
): Promise<readonly CopiedTable[]> {
  for (const database of [source, target]) {
    if (database.kind === 'sqlite') takeOwnersRights(database.path)
  }
  const from = await openSource(source)
  try {
    const to = await openTarget(target)
    try {
      const tables = await copyOrSay(async () => {
        const tables = await copyTables({ source: from, target: to }, options)
        await from.assertUnused()
        return tables
      })
      await to.commit()
      return tables
    } catch (error) {
      await to.abandon()
      throw error
    }
  } finally {
    await from.close()
  }
}

async function copyOrSay<Result>(copy: () => Promise<Result>): Promise<Result> {
  try {
    return await copy()
  } catch (error) {
    throw new Error('nothing was copied', { cause: error })
  }
}

async function openSource(database: DatabaseConfig): Promise<DataSource> {
  return database.kind === 'sqlite'
    ? (
        await import('../../infrastructure/sqlite/data-migration/sqlite-source.ts')
      ).openSqliteSource(database.path)
    : (
        await import('../../infrastructure/postgres/data-migration/postgres-source.ts')
      ).openPostgresSource(database)
}

async function openTarget(database: DatabaseConfig): Promise<DataTarget> {
  return database.kind === 'sqlite'
    ? (
        await import('../../infrastructure/sqlite/data-migration/sqlite-target.ts')
      ).openSqliteTarget(database.path)
    : (
        await import('../../infrastructure/postgres/data-migration/postgres-target.ts')
      ).openPostgresTarget(database)
}
