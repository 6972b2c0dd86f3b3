import type { DatabaseStore } from '../database/database-store.ts'
import { postgresAccessRepository } from './access-repository.ts'
import { postgresAuditTrail } from './audit-trail.ts'
import type { PostgresDatabase } from './connection/database.ts'
import type { TimeBudget } from './connection/time-budget.ts'
import { postgresDatabaseHealth } from './database-health.ts'
import { postgresLedger } from './ledger.ts'
import { postgresLogOutRepository } from './log-out-repository.ts'
import { postgresOtpRepository } from './otp-repository.ts'
import { postgresOutboxRepository } from './outbox-repository.ts'
import { postgresPersonalData } from './personal-data.ts'
import { postgresPremiumGrantRepository } from './premium-grant-repository.ts'
import { postgresPurchaseRepository } from './purchase-repository.ts'
import { postgresRetention } from './retention.ts'
import { postgresDisputeRepository, postgresRefundRepository } from './reversal-repositories.ts'
import { postgresSandboxSessionStore } from './sandbox-session-store.ts'
import { postgresStatistics } from './statistics.ts'
import { postgresSweepRepository } from './sweep-repository.ts'
import { postgresVerificationRepository } from './verification-repository.ts'

export function postgresStore(
  database: PostgresDatabase,
  { budget }: { budget: Pick<TimeBudget, 'begin'> },
): DatabaseStore {
  return {
    otps: postgresOtpRepository(database),
    verifications: postgresVerificationRepository(database),
    purchases: postgresPurchaseRepository(database),
    premiumGrants: postgresPremiumGrantRepository(database),
    refunds: postgresRefundRepository(database),
    disputes: postgresDisputeRepository(database),
    auditTrail: postgresAuditTrail(database),
    ledger: postgresLedger(database),
    outbox: postgresOutboxRepository(database),
    sweeps: postgresSweepRepository(database),
    logOuts: postgresLogOutRepository(database),
    access: postgresAccessRepository(database, { budget }),
    personalData: postgresPersonalData(database),
    retention: postgresRetention(database),
    databaseHealth: postgresDatabaseHealth(database),
    statistics: postgresStatistics(database),
    sandboxSessions: postgresSandboxSessionStore(database),
    close: database.close,
  }
}
