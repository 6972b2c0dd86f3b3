import { type Methods, methodsOnFirstUse, onFirstUse } from '../../application/first-use.ts'
import type { DatabaseStore } from '../database/database-store.ts'
import { sqliteAccessRepository } from './access-repository.ts'
import { prepareRecordChanges, type RecordChanges, sqliteAuditTrail } from './audit-trail.ts'
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
  return sqliteStore(openDatabase(path, { ...options, isLookedThrough: true }))
}

/**
 * As `openSqliteStore`, for a command beside a service that runs and may be older: throws `IncompatibleDatabase` rather
 * than migrate.
 */
export function openCurrentSqliteStore(path: string): DatabaseStore {
  return sqliteStore(openDatabase(path, { isUpToDate: true }))
}

/** Each part prepares its statements on first use: a start would spend most of its time on them. */
export function sqliteStore(database: SqliteDatabase): DatabaseStore {
  const part = <Part extends Methods>(make: () => Part) =>
    methodsOnFirstUse(() => database.prepare(make))
  const recorder = onFirstUse(() => prepareRecordChanges(database.queries))
  const recordChanges: RecordChanges = (...change) => recorder()(...change)
  return {
    otps: part(() => sqliteOtpRepository(database)),
    verifications: part(() => sqliteVerificationRepository(database)),
    purchases: part(() => sqlitePurchaseRepository(database)),
    premiumGrants: part(() => sqlitePremiumGrantRepository(database, recordChanges)),
    refunds: part(() => sqliteRefundRepository(database, recordChanges)),
    disputes: part(() => sqliteDisputeRepository(database, recordChanges)),
    auditTrail: part(() => sqliteAuditTrail(database)),
    outbox: part(() => sqliteOutboxRepository(database)),
    sweeps: part(() => sqliteSweepRepository(database)),
    logOuts: part(() => sqliteLogOutRepository(database)),
    access: part(() => sqliteAccessRepository(database)),
    personalData: part(() => sqlitePersonalData(database, recordChanges)),
    retention: part(() => sqliteRetention(database)),
    databaseHealth: sqliteDatabaseHealth(database),
    statistics: part(() => sqliteStatistics(database)),
    sandboxSessions: part(() => sqliteSandboxSessionStore(database)),
    close: database.close,
  }
}
