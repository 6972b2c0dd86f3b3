import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SandboxSession } from '../../application/sandbox-checkout.ts'
import type { RunName } from '../../application/store.ts'
import type { ClientNetwork } from '../../domain/client-network.ts'
import type { CodeChallenge } from '../../domain/code-challenge.ts'
import { DISPUTE_STATES } from '../../domain/dispute.ts'
import type { Email } from '../../domain/email.ts'
import type { ErasedEmailDigest } from '../../domain/erasure.ts'
import { ACTORS, type GrantChangeReason } from '../../domain/grant-change.ts'
import { LANGUAGES } from '../../domain/language.ts'
import type { Epoch } from '../../domain/log-out.ts'
import type { MailboxDigest } from '../../domain/mailbox.ts'
import type { PurchaseId } from '../../domain/order.ts'
import type { OtpSeed } from '../../domain/otp.ts'
import { OUTBOX_KINDS, type OutboxKey, type OutboxMessage } from '../../domain/outbox.ts'
import { PURCHASE_STATES, type ReviewReason } from '../../domain/purchase.ts'
import { REFUND_STATES } from '../../domain/refund.ts'
import { SENDER_KINDS } from '../../domain/sender.ts'

// The tables as the queries see them. The migrations make them and hold their constraints.

export const otps = sqliteTable('otps', {
  email: emailColumn('email').notNull(),
  sender: senderColumn().notNull(),
  role: text('role', { enum: ['current', 'replacement'] }).notNull(),
  seed: text('seed').$type<OtpSeed>().notNull(),
  issuedAt: momentColumn('issued_at').notNull(),
  expiresAt: momentColumn('expires_at').notNull(),
  attemptsLeft: integer('attempts_left').notNull(),
})

export const otpMails = sqliteTable('otp_mails', {
  email: emailColumn('email').notNull(),
  sender: senderColumn().notNull(),
  position: integer('position').notNull(),
  sentAt: momentColumn('sent_at').notNull(),
  network: networkColumn(),
  mailbox: text('mailbox').$type<MailboxDigest>(),
})

export const otpWrongTries = sqliteTable('otp_wrong_tries', {
  email: emailColumn('email').notNull(),
  sender: senderColumn().notNull(),
  position: integer('position').notNull(),
  triedAt: momentColumn('tried_at').notNull(),
  network: networkColumn(),
})

export const serviceMails = sqliteTable('service_mails', {
  id: integer('id').notNull().primaryKey({ autoIncrement: true }),
  sentAt: momentColumn('sent_at').notNull(),
  isCustomer: integer('had_premium', { mode: 'boolean' }).notNull(),
  network: networkColumn(),
})

export const verifications = sqliteTable('verifications', {
  email: emailColumn('email').notNull().primaryKey(),
  verifiedAt: momentColumn('verified_at').notNull(),
  expiresAt: momentColumn('expires_at').notNull(),
  codeChallenge: text('code_challenge').$type<CodeChallenge>(),
  epoch: epochColumn().notNull(),
})

export const logOuts = sqliteTable('log_outs', {
  email: emailColumn('email').notNull().primaryKey(),
  epoch: epochColumn().notNull(),
})

export const erasedLogOuts = sqliteTable('erased_log_outs', {
  trace: text('trace').$type<ErasedEmailDigest>().notNull().primaryKey(),
  epoch: epochColumn().notNull(),
})

export const commonLogOut = sqliteTable('common_log_out', {
  id: integer('id').notNull().primaryKey(),
  epoch: epochColumn().notNull(),
})

export const logOutEpoch = sqliteTable('log_out_epoch', {
  id: integer('id').notNull().primaryKey(),
  epoch: epochColumn().notNull(),
})

export const purchases = sqliteTable('purchases', {
  id: text('id').$type<PurchaseId>().notNull().primaryKey(),
  email: emailColumn('email').notNull(),
  language: languageColumn().notNull(),
  priceAmount: integer('price_amount').notNull(),
  priceCurrency: text('price_currency').notNull(),
  live: integer('live', { mode: 'boolean' }).notNull(),
  state: text('state', { enum: PURCHASE_STATES }).notNull(),
  createdAt: momentColumn('created_at').notNull(),
  expiresAt: momentColumn('expires_at').notNull(),
  sessionId: text('session_id'),
  paymentIntentId: text('payment_intent_id'),
  paidAt: momentColumn('paid_at'),
  amountPaid: integer('amount_paid'),
  isDuplicate: integer('is_duplicate', { mode: 'boolean' }),
  reviewReason: text('review_reason').$type<ReviewReason>(),
  amountReceived: integer('amount_received'),
  revokedAt: momentColumn('revoked_at'),
  leastAmount: integer('least_amount'),
})

export const operatorGrants = sqliteTable('operator_grants', {
  id: text('id').notNull().primaryKey(),
  email: emailColumn('email').notNull(),
  grantedAt: momentColumn('granted_at').notNull(),
  revokedAt: momentColumn('revoked_at'),
})

export const refunds = sqliteTable('refunds', {
  id: text('id').notNull().primaryKey(),
  paymentIntentId: text('payment_intent_id').notNull(),
  amount: integer('amount').notNull(),
  state: text('state', { enum: REFUND_STATES }).notNull(),
})

export const disputes = sqliteTable('disputes', {
  id: text('id').notNull().primaryKey(),
  paymentIntentId: text('payment_intent_id').notNull(),
  state: text('state', { enum: DISPUTE_STATES }).notNull(),
  reportedAt: momentColumn('reported_at').notNull(),
})

export const foreignPayments = sqliteTable('foreign_payments', {
  paymentIntentId: text('payment_intent_id').notNull().primaryKey(),
  storedAt: momentColumn('stored_at').notNull(),
})

export const outbox = sqliteTable('outbox', {
  key: text('key').$type<OutboxKey>().notNull().primaryKey(),
  kind: text('kind', { enum: OUTBOX_KINDS }).notNull(),
  purchaseId: text('purchase_id').$type<PurchaseId>().notNull(),
  email: emailColumn('email').notNull(),
  language: languageColumn().notNull(),
  amount: integer('amount').notNull(),
  currency: text('currency').notNull(),
  createdAt: momentColumn('created_at').notNull(),
  attempts: integer('attempts').notNull(),
  state: text('state').$type<OutboxMessage['state']>().notNull(),
  dueAt: momentColumn('due_at'),
  endedAt: momentColumn('ended_at'),
})

export const auditEntries = sqliteTable('audit_entries', {
  id: integer('id').notNull().primaryKey({ autoIncrement: true }),
  at: momentColumn('at').notNull(),
  by: text('by_whom', { enum: ACTORS }).notNull(),
  source: text('source'),
  grantId: text('grant_id').notNull(),
  email: emailColumn('email').notNull(),
  reason: text('reason').$type<GrantChangeReason>().notNull(),
  objectId: text('object_id').notNull(),
  isActive: integer('is_active', { mode: 'boolean' }).notNull(),
})

export const sweeps = sqliteTable('sweeps', {
  name: text('name').$type<RunName>().notNull().primaryKey(),
  lastRunAt: momentColumn('last_run_at').notNull(),
})

export const heartbeat = sqliteTable('heartbeat', {
  id: integer('id').notNull().primaryKey(),
  at: momentColumn('at').notNull(),
})

export const sandboxSessions = sqliteTable('sandbox_sessions', {
  sessionId: text('session_id').notNull().primaryKey(),
  purchaseId: text('purchase_id').$type<PurchaseId>().notNull(),
  customerEmail: emailColumn('customer_email').notNull(),
  priceAmount: integer('price_amount').notNull(),
  priceCurrency: text('price_currency').notNull(),
  state: text('state').$type<SandboxSession['state']>().notNull(),
  createdAt: momentColumn('created_at').notNull(),
  expiresAt: momentColumn('expires_at').notNull(),
  paymentIntentId: text('payment_intent_id'),
})

function emailColumn(name: string) {
  return text(name).$type<Email>()
}

function senderColumn() {
  return text('sender', { enum: SENDER_KINDS })
}

function networkColumn() {
  return text('network').$type<ClientNetwork>()
}

function languageColumn() {
  return text('language', { enum: LANGUAGES })
}

function epochColumn() {
  return integer('epoch').$type<Epoch>()
}

function momentColumn(name: string) {
  return integer(name, { mode: 'timestamp_ms' })
}
