import type { DatabaseStore } from '../database/database-store.ts'
import { sqliteAccessRepository } from './access-repository.ts'
import { prepareRecordChanges, sqliteAuditTrail } from './audit-trail.ts'
import { type DatabaseOptions, openDatabase, type SqliteDatabase } from './database.ts'
import { sqliteDatabaseHealth } from './database-health.ts'
import { sqliteLogOutRepository } from './log-out-repository.ts'
import { sqliteOtpRepository } from './otp-repository.ts'
import { sqliteOutboxRepository } from './outbox-repository.ts'
import { sqlitePersonalData } from './personal-data.ts'
import { sqlitePremiumGrantRepository } from './premium-grant-repository.ts'
import { sqlitePurchaseRepository } from './purchase-repository.ts'
import { sqliteRetention } from './retention.ts'
import { sqliteDisputeRepository, sqliteRefundRepository } from './reversal-repositories.ts'
import { sqliteSandboxSessionStore } from './sandbox-session-store.ts'
import { sqliteStatistics } from './statistics.ts'
import { translateOutage } from './storage-outage.ts'
import { sqliteSweepRepository } from './sweep-repository.ts'
import { sqliteVerificationRepository } from './verification-repository.ts'

/**
 * Opens the database file, made where there is none and migrated, or a fresh one for `:memory:`. Throws
 * `Unavailable('storage')` when that cannot be done now or the file is damaged, `IncompatibleDatabase` when it never
 * can, and an error that names the copy of before when a migration failed.
 */
export function openSqliteStore(
  path: string,
  options: Pick<DatabaseOptions, 'onDamaged' | 'onMigrated'> = {},
): DatabaseStore {
  return storeOf(openDatabase(path, { ...options, isLookedThrough: true }))
}

/**
 * As `openSqliteStore`, for a command beside a service that runs and may be older: throws `IncompatibleDatabase` rather
 * than migrate.
 */
export function openCurrentSqliteStore(path: string): DatabaseStore {
  return storeOf(openDatabase(path, { isUpToDate: true }))
}

function storeOf(database: SqliteDatabase): DatabaseStore {
  // Preparing a statement reads the schema, and can fail as any read can.
  return translateOutage(() => sqliteStore(database))
}

export function sqliteStore(database: SqliteDatabase): DatabaseStore {
  const recordChanges = prepareRecordChanges(database.queries)
  return {
    otps: sqliteOtpRepository(database),
    verifications: sqliteVerificationRepository(database),
    purchases: sqlitePurchaseRepository(database),
    premiumGrants: sqlitePremiumGrantRepository(database, recordChanges),
    refunds: sqliteRefundRepository(database, recordChanges),
    disputes: sqliteDisputeRepository(database, recordChanges),
    auditTrail: sqliteAuditTrail(database),
    outbox: sqliteOutboxRepository(database),
    sweeps: sqliteSweepRepository(database),
    logOuts: sqliteLogOutRepository(database),
    access: sqliteAccessRepository(database),
    personalData: sqlitePersonalData(database, recordChanges),
    retention: sqliteRetention(database),
    databaseHealth: sqliteDatabaseHealth(database),
    statistics: sqliteStatistics(database),
    sandboxSessions: sqliteSandboxSessionStore(database),
    close: database.close,
  }
}
