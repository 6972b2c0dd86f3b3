import {
  type MethodNames,
  type Methods,
  methodsOnFirstUse,
  onFirstUse,
} from '../../application/first-use.ts'
import type { DatabaseStore } from '../database/database-store.ts'
import { sqliteAccessRepository } from './access-repository.ts'
import { prepareRecordChanges, type RecordChanges, sqliteAuditTrail } from './audit-trail.ts'
import { type DatabaseOptions, openDatabase, type SqliteDatabase } from './database.ts'
import { sqliteDatabaseHealth } from './database-health.ts'
import { sqliteLedger } from './ledger.ts'
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
  const part = <Part extends Methods>(names: MethodNames<Part>, make: () => Part) =>
    methodsOnFirstUse(names, () => database.prepare(make))
  const recorder = onFirstUse(() => prepareRecordChanges(database.queries))
  const recordChanges: RecordChanges = (...change) => recorder()(...change)
  return {
    otps: part(METHODS.otps, () => sqliteOtpRepository(database)),
    verifications: part(METHODS.verifications, () => sqliteVerificationRepository(database)),
    purchases: part(METHODS.purchases, () => sqlitePurchaseRepository(database)),
    premiumGrants: part(METHODS.premiumGrants, () =>
      sqlitePremiumGrantRepository(database, recordChanges),
    ),
    refunds: part(METHODS.refunds, () => sqliteRefundRepository(database, recordChanges)),
    disputes: part(METHODS.disputes, () => sqliteDisputeRepository(database, recordChanges)),
    auditTrail: part(METHODS.auditTrail, () => sqliteAuditTrail(database)),
    ledger: part(METHODS.ledger, () => sqliteLedger(database)),
    outbox: part(METHODS.outbox, () => sqliteOutboxRepository(database)),
    sweeps: part(METHODS.sweeps, () => sqliteSweepRepository(database)),
    logOuts: part(METHODS.logOuts, () => sqliteLogOutRepository(database)),
    access: sqliteAccessRepository(database),
    personalData: part(METHODS.personalData, () => sqlitePersonalData(database, recordChanges)),
    retention: part(METHODS.retention, () => sqliteRetention(database)),
    databaseHealth: sqliteDatabaseHealth(database),
    statistics: part(METHODS.statistics, () => sqliteStatistics(database)),
    sandboxSessions: part(METHODS.sandboxSessions, () => sqliteSandboxSessionStore(database)),
    close: database.close,
  }
}

/** What each part can do: before it is made, nothing else knows. */
const METHODS = {
  otps: { update: true, updateMails: true, findMailboxMails: true, forgetMailbox: true },
  verifications: { findByEmail: true },
  purchases: {
    update: true,
    updateById: true,
    findAccount: true,
    findAccountByPurchase: true,
    findById: true,
    findBySessionId: true,
    findByPaymentIntentId: true,
    isAskedPrice: true,
    list: true,
  },
  premiumGrants: { findByEmail: true, add: true, revokeAll: true, list: true },
  refunds: { update: true, findById: true, findPendingPayments: true },
  disputes: { update: true, findById: true, findPendingPayments: true },
  auditTrail: { findByEmail: true },
  ledger: { findBeginning: true, list: true },
  outbox: { takeDue: true, update: true, findByPurchase: true },
  sweeps: { findLastRun: true, recordRun: true },
  logOuts: { update: true },
  personalData: { find: true, erase: true },
  retention: { prune: true },
  statistics: {
    countPurchases: true,
    countOutbox: true,
    rankWrongTries: true,
    countServiceMails: true,
    rankServiceMails: true,
    findLastGrantChange: true,
    countGrantChanges: true,
    measureFiles: true,
  },
  sandboxSessions: { create: true, find: true, update: true, list: true },
} as const satisfies {
  readonly [Part in Exclude<
    keyof DatabaseStore,
    'access' | 'databaseHealth' | 'close'
  >]: MethodNames<DatabaseStore[Part]>
}
