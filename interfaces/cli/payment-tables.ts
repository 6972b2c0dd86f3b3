import type { Dispute } from '../../domain/dispute.ts'
import type { AuditEntry } from '../../domain/grant-change.ts'
import type { OutboxMessage } from '../../domain/outbox.ts'
import type { PremiumGrant } from '../../domain/premium-grant.ts'
import type { Purchase } from '../../domain/purchase.ts'
import type { Refund } from '../../domain/refund.ts'
import {
  describeGrant,
  describeMessage,
  describeState,
  formatPurchaseAmount,
  formatReceived,
  spaced,
} from './payment-words.ts'
import { tableSection } from './text-layout.ts'

export const PURCHASE_HEADER = ['ID', 'STATE', 'CREATED', 'AMOUNT'] as const

export function purchaseRow(purchase: Purchase): readonly string[] {
  const { id, createdAt } = purchase
  return [id, describeState(purchase), createdAt.toISOString(), formatPurchaseAmount(purchase)]
}

export function grantTable(grants: readonly PremiumGrant[]): string {
  const rows = grants.map((grant) => [
    grant.id,
    grant.payment ? 'by purchase' : 'by hand',
    describeGrant(grant),
  ])
  return tableSection('Grants', ['ID', 'GIVEN', 'STATE'], rows)
}

/** Refunds of other purchases are left out. */
export function refundTable(purchases: readonly Purchase[], refunds: readonly Refund[]): string {
  const rows = joined(purchases, refunds).map(([purchase, { id, amount, state }]) => [
    id,
    formatReceived(purchase, amount),
    state,
    purchase.id,
  ])
  return tableSection('Refunds', ['ID', 'AMOUNT', 'STATE', 'PURCHASE'], rows)
}

/** Disputes of other purchases are left out. */
export function disputeTable(purchases: readonly Purchase[], disputes: readonly Dispute[]): string {
  const rows = joined(purchases, disputes).map(([purchase, { id, state, reportedAt }]) => [
    id,
    state,
    reportedAt.toISOString(),
    purchase.id,
  ])
  return tableSection('Disputes', ['ID', 'STATE', 'REPORTED', 'PURCHASE'], rows)
}

function joined<Reversal extends { readonly paymentIntentId: string }>(
  purchases: readonly Purchase[],
  reversals: readonly Reversal[],
): readonly (readonly [Purchase, Reversal])[] {
  return purchases.flatMap((purchase) =>
    reversals
      .filter(({ paymentIntentId }) => paymentIntentId === purchase.paymentIntentId)
      .map((reversal) => [purchase, reversal] as const),
  )
}

export function messageTable(messages: readonly OutboxMessage[]): string {
  const rows = messages.map((message) => [
    spaced(message.kind),
    String(message.attempts),
    describeMessage(message),
  ])
  return tableSection('Messages', ['KIND', 'ATTEMPTS', 'STATE'], rows)
}

export function auditTable(audit: readonly AuditEntry[]): string {
  const rows = audit.map(({ at, by, reason, objectId, source, isActive }) => [
    at.toISOString(),
    by,
    spaced(reason),
    objectId,
    source ?? '-',
    isActive ? 'yes' : 'no',
  ])
  const header = ['WHEN', 'WHO', 'WHAT', 'OBJECT', 'SOURCE', 'ACTIVE AFTER']
  return tableSection('Audit trail', header, rows)
}
